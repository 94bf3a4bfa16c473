import { dropped } from '#lab/step';
import type { Lock } from './with-lock';

/** Runs one step of acquiring. When it fails, the lock may be ours all the same: it is released before the error is thrown. */
export async function releaseOnError<T>(lock: Pick<Lock, 'release'>, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    await lock.release().catch(dropped('the release of a lock after another error')); // the first error says more
    throw error;
  }
}
