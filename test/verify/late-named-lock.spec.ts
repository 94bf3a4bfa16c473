import { openOwnFiles } from './own-files';

const { ofFile, promiseOf } = openOwnFiles(__filename);

/** A lock of GET_LOCK that waits for this many seconds. */
const waiting = (seconds: string): string => `
  exports.createLock = ({ sql }) => ({
    async acquire(key, { waitMs }) {
      const session = sql.createQueryRunner();
      const [{ got }] = await session.query('SELECT GET_LOCK(?, ?) AS got', [key, ${seconds}]);
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

test.each([
  ['in-time.js', 'waitMs / 1000', 'kept'],
  ['late.js', '100', 'broken'],
])('%s waits %s seconds for a GET_LOCK: givesUpInTime is %s', async (file, seconds, state) => {
  const result = await promiseOf(ofFile(file, waiting(seconds)), 'givesUpInTime');
  expect(result).toMatchObject({ state });
  if (state === 'broken') expect(result?.sentence).toContain('100000 ms after its first step');
});
