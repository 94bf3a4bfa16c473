import { withRedis, type StartedRedis } from '#lab/stack';

/** Nobody goes on writing for longer than this. */
const MOST_MS = 20_000;

const key = (n: number): string => `lab:write:${n}`;

/** Writes so many keys of its own, one after the other. Rejects when one is not acknowledged. */
export const writeSome = ({ url }: StartedRedis, count: number): Promise<void> =>
  withRedis(url, async (redis) => {
    for (let n = 1; n <= count; n++) await redis.set(key(n), n);
  });

/** How many of the first `count` are still there. */
export const writesLeft = ({ url }: StartedRedis, count: number): Promise<number> =>
  withRedis(url, (redis) => redis.exists(...Array.from({ length: count }, (_, i) => key(i + 1))));

/** Writes one key after the other until the server refuses; how many it has acknowledged, and what it says then. */
export const writeUntilRefused = ({
  url,
}: StartedRedis): Promise<{ readonly writes: number; readonly refusal: string }> =>
  withRedis(url, async (redis) => {
    const until = performance.now() + MOST_MS;
    for (let writes = 0; performance.now() < until; writes++) {
      try {
        await redis.set(key(writes + 1), writes);
      } catch (error) {
        return { writes, refusal: error instanceof Error ? error.message : String(error) };
      }
    }
    return { writes: 0, refusal: 'it never refused' };
  });
