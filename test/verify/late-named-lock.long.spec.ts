import type { Strategy } from '#lab/strategy';
import { openOwnFiles } from './own-files';

const { ofFile, promiseOf } = openOwnFiles(__filename);

/** A lock of GET_LOCK that waits for this many seconds; `?` stands for the milliseconds that it may wait. */
const waiting = (seconds: string): string => `
  exports.createLock = ({ sql }) => ({
    async acquire(key, { waitMs }) {
      const session = sql.createQueryRunner();
      const [{ got }] = await session.query('SELECT GET_LOCK(?, ${seconds}) AS got', [key, waitMs]);
      if (Number(got) === 1) return { session, key };
      await session.release();
      return undefined;
    },
    async release({ session, key }) {
      try {
        await session.query('SELECT RELEASE_LOCK(?)', [key]);
      } finally {
        await session.release();
      }
    },
  });`;

const lockOf = (file: string, seconds: string): Strategy => ofFile(file, waiting(seconds));

test('a GET_LOCK that waits for waitMs gives up in time', async () => {
  expect(await promiseOf(lockOf('in-time.js', '? / 1000'), 'givesUpInTime')).toMatchObject({ state: 'kept' });
});

test.each([
  ['late.js', '100', /100000 ms after its first step/],
  ['late-by-an-expression.js', '20 * (6 - 1)', /100000 ms after its first step/],
  ['never.js', '100 + LENGTH(DATABASE())', /B waits forever/],
])('%s: a GET_LOCK that waits %s seconds is late', async (file, seconds, sentence) => {
  const result = await promiseOf(lockOf(file, seconds), 'givesUpInTime');
  expect(result).toMatchObject({ state: 'broken', sentence: expect.stringMatching(sentence) as string });
});
