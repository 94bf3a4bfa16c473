import type { DataSource, QueryRunner } from 'typeorm';
import { BalanceTransaction } from './transaction';

/** The session that holds a named lock: work on any other connection would not be under it. */
export interface NamedSession {
  transaction<T>(body: (tx: BalanceTransaction) => Promise<T>): Promise<T>;
}

/** Names of locks are known to the whole server, whatever the schema, and MySQL allows 64 characters: hence the hash. */
const NAME = "SHA1(CONCAT(DATABASE(), ' ', ?))";

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
    if (!(await take(runner, name, waitMs))) return undefined;
    try {
      return await section({
        transaction: (body) => runner.manager.transaction((manager) => body(new BalanceTransaction(manager))),
      });
    } finally {
      await runner.query(`DO RELEASE_LOCK(${NAME})`, [name]).catch(() => close(runner));
    }
  } finally {
    await runner.release();
  }
}

/** When the answer does not come, nobody knows whether the connection has the lock: it must not go back to the pool. */
async function take(runner: QueryRunner, name: string, waitMs: number): Promise<boolean> {
  const asked = runner.manager.query<{ taken: number }[]>(`SELECT GET_LOCK(${NAME}, ?) AS taken`, [
    name,
    Math.ceil(waitMs / 1000),
  ]);
  const [row] = await asked.catch(async (error: unknown) => {
    await close(runner);
    throw error;
  });
  return row?.taken === 1;
}

/** Where there is no connection, none has the lock; why there is none, the statement has said. */
async function close(runner: QueryRunner): Promise<void> {
  const connection = (await runner.connect().catch(() => undefined)) as { destroy(): void } | undefined;
  connection?.destroy();
}
