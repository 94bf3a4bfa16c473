import type { DataSource } from 'typeorm';
import { BalanceTransaction } from './transaction';

/** The session that holds a named lock: work on any other connection would not be under it. */
export interface NamedSession {
  transaction<T>(body: (tx: BalanceTransaction) => Promise<T>): Promise<T>;
}

/**
 * Runs `section` under GET_LOCK(name), on the connection that holds it. Waits in the database, at most `waitMs`, which
 * the server counts in whole seconds; then answers undefined. A connection whose lock cannot be released is
 * closed: that frees it.
 */
export async function underNamedLock<T>(
  dataSource: DataSource,
  name: string,
  waitMs: number,
  section: (session: NamedSession) => Promise<T>,
): Promise<T | undefined> {
  const runner = dataSource.createQueryRunner();
  try {
    const [row] = await runner.manager.query<{ taken: number }[]>('SELECT GET_LOCK(?, ?) AS taken', [
      name,
      Math.ceil(waitMs / 1000),
    ]);
    if (row?.taken !== 1) return undefined;
    try {
      return await section({
        transaction: (body) => runner.manager.transaction((manager) => body(new BalanceTransaction(manager))),
      });
    } finally {
      await runner.query('DO RELEASE_LOCK(?)', [name]).catch(() => close(runner));
    }
  } finally {
    await runner.release();
  }
}

async function close(runner: { connect(): Promise<unknown> }): Promise<void> {
  ((await runner.connect()) as { destroy(): void }).destroy();
}
