import { BalanceTransaction } from '#lab/balance';
import { lockStatement } from '#lab/step';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

/** The session that holds a named lock: work on another connection would not be protected. */
export interface NamedSession {
  /** Statements on the connection that holds the lock, for data that is no balance. */
  readonly sql: Pick<EntityManager, 'query'>;
  transaction<T>(body: (tx: BalanceTransaction) => Promise<T>): Promise<T>;
}

/**
 * Lock names are global to the server, so the schema is part of the name; MySQL allows 64 characters, so it is hashed.
 * MySQL 9.7 has no SHA1.
 */
const NAME = "SHA2(CONCAT(DATABASE(), ' ', ?), 224)";

const GET_LOCK = lockStatement(`SELECT GET_LOCK(${NAME}, ?) AS taken`, {
  role: 'acquire',
  succeeded: (rows) => (rows as { taken: number | null }[])[0]?.taken === 1,
});
const RELEASE_LOCK = lockStatement(`DO RELEASE_LOCK(${NAME})`, { role: 'release', succeeded: () => true });

/**
 * Runs `section` under GET_LOCK(name), on the connection that holds it. Waits in the database for at most `waitMs`, which
 * the server rounds up to whole seconds; then returns undefined. A connection whose lock cannot be released is closed,
 * which frees the lock.
 */
export async function underNamedLock<T>(
  dataSource: DataSource,
  name: string,
  waitMs: number,
  section: (session: NamedSession) => Promise<T>,
): Promise<T | undefined> {
  const runner = dataSource.createQueryRunner();
  try {
    if (!(await acquire(runner, name, waitMs))) return undefined;
    try {
      return await section({
        sql: runner.manager,
        transaction: (body) => runner.manager.transaction((manager) => body(new BalanceTransaction(manager))),
      });
    } finally {
      await runner.query(RELEASE_LOCK, [name]).catch(() => close(runner));
    }
  } finally {
    await runner.release();
  }
}

/** Without a reply, the connection may or may not hold the lock: it is closed, not returned to the pool. */
async function acquire(runner: QueryRunner, name: string, waitMs: number): Promise<boolean> {
  const reply = runner.manager.query<{ taken: number }[]>(GET_LOCK, [name, Math.ceil(waitMs / 1000)]);
  const [row] = await reply.catch(async (error: unknown) => {
    await close(runner);
    throw error;
  });
  return row?.taken === 1;
}

/** Ignores a failure to connect: no connection means no lock, and the statement has reported the cause. */
async function close(runner: QueryRunner): Promise<void> {
  const connection = (await runner.connect().catch(() => undefined)) as { destroy(): void } | undefined;
  connection?.destroy();
}
