import { messageOf } from '#lab/step';
import { withRedis, type StartedRedis } from '#lab/stack';

/** Limit for `writeUntilRefused`. */
const TIMEOUT_MS = 20_000;

const key = (n: number): string => `lab:write:${n}`;

/** Writes this number of keys, one after another. Rejects when a write is not acknowledged. */
export const writeSome = ({ url }: StartedRedis, count: number): Promise<void> =>
  withRedis(url, async (redis) => {
    for (let n = 1; n <= count; n++) await redis.set(key(n), n);
  });

/** The number of the first `count` keys that still exist. */
export const writesLeft = ({ url }: StartedRedis, count: number): Promise<number> =>
  withRedis(url, (redis) => redis.exists(...Array.from({ length: count }, (_, i) => key(i + 1))));

/** Writes keys one after another until the server refuses. Returns the acknowledged writes and the error message. */
export const writeUntilRefused = ({
  url,
}: StartedRedis): Promise<{ readonly writes: number; readonly refusal: string }> =>
  withRedis(url, async (redis) => {
    const deadline = performance.now() + TIMEOUT_MS;
    let writes = 0;
    while (performance.now() < deadline) {
      try {
        await redis.set(key(writes + 1), writes);
        writes++;
      } catch (error) {
        return { writes, refusal: messageOf(error) };
      }
    }
    return { writes, refusal: `it accepted every write for ${TIMEOUT_MS} ms` };
  });
