import { verify } from '#lab/explore';
import { openOwnFiles } from './own-files';

const { explorer, ofFile } = openOwnFiles(__filename);

/** A lock of Redis under a key that is computed from the name of the resource. */
const underKey = (key: string): string => `
  const { createHash } = require('node:crypto');
  exports.createLock = ({ redis }) => ({
    async acquire(resource, { leaseMs }) {
      const key = ${key};
      return (await redis.set(key, '1', 'PX', leaseMs, 'NX')) === 'OK' ? { key } : undefined;
    },
    release: ({ key }) => redis.del(key),
  });`;

const verifyKey = (file: string, key: string): Promise<unknown> =>
  verify(explorer(), ofFile(file, underKey(key)), 60_000, {
    signal: new AbortController().signal,
    promises: ['survivesFailedRelease'],
    max: 20,
  });

test('a lock whose key does not contain the name of the resource cannot be verified, and the message says so', async () => {
  await expect(verifyKey('hashed.js', "createHash('sha1').update(resource).digest('hex')")).rejects.toThrow(
    /the name of the resource, .* is in no key .* its lock is not seen: SET [0-9a-f]{40} 1 PX 10000 NX/,
  );
});

test('with a prefix it can', async () => {
  await expect(verifyKey('prefixed.js', "'my-' + resource")).resolves.toMatchObject({
    probe: { withoutLock: [] },
  });
});
