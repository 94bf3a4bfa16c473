import { randomBytes } from 'node:crypto';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { asRoot, give } from './os-account';
import type { Claim } from './claim';
import type { Layout } from './layout';
import { freshData } from './mysql-template';
import { infra } from './paths';
import { demand, NEEDED } from './programs';
import { type ServerDefinition, type Server, startOnFreePorts } from './server';
import type { Conditions, Durability } from './types';

/** Starts a private MariaDB or MySQL 8 with the schemas `inventory`, `orders` and `accounts` and the user `lab`. */
export async function startMysql(
  layout: Layout,
  durability: Durability,
  claim: Claim,
): Promise<{ server: Server; url: string }> {
  const program = demand(NEEDED.mysql);
  const folder = layout.dataFolder('mysql');
  const data = join(folder, 'data');
  const config = join(folder, 'lab.cnf');
  const password = randomBytes(12).toString('hex');
  const setUp = join(folder, 'set-up.sql');
  copyFileSync(infra('mysql', 'lab.cnf'), config);
  writeFileSync(setUp, setUpSql(password), { mode: 0o600 });
  for (const file of [config, setUp]) give(file, layout.account);
  await freshData(program, data, layout, claim);

  const address = (port: number): string => `mysql://lab:${password}@127.0.0.1:${port}`;
  const { server, ports } = await startOnFreePorts(
    [undefined],
    ([port = 0]): ServerDefinition => ({
      name: 'mysql',
      ports: [port],
      command: {
        name: 'mysql',
        program: program.path,
        args: [
          `--defaults-file=${config}`,
          `--datadir=${data}`,
          `--tmpdir=${layout.dataFolder('mysql', 'tmp')}`,
          `--port=${port}`,
          '--bind-address=127.0.0.1',
          // Relative to the data folder: a socket's path is limited to about 100 bytes.
          '--socket=mysql.sock',
          '--pid-file=mysql.pid',
          `--init-file=${setUp}`,
          `--innodb-flush-log-at-trx-commit=${durability === 'full' ? 1 : 0}`,
          ...asRoot(layout.account),
        ],
        cwd: folder,
        log: layout.log('mysql'),
        account: layout.account,
      },
      // The password is unique, so only this server accepts it.
      answers: async () => (await variables(address(port)).catch(() => undefined)) !== undefined,
    }),
    claim,
  );
  return { server, url: address(ports[0] ?? 0) };
}

/** The server runs this at every start, one statement per line. Schemas of specs match `test\_%` or `lab\_%`. */
function setUpSql(password: string): string {
  const user = `'lab'@'127.0.0.1'`;
  const own = ['inventory', 'orders', 'accounts'];
  const schemas = [...own, ...own.map((name) => `${name}\\_%`), 'lab\\_%', 'test\\_%'];
  return [
    ...own.map((name) => `CREATE DATABASE IF NOT EXISTS ${name};`),
    `CREATE USER IF NOT EXISTS ${user} IDENTIFIED BY '${password}';`,
    ...schemas.map((schema) => `GRANT ALL ON \`${schema}\`.* TO ${user};`),
    // For lock waits and deadlocks: SHOW ENGINE INNODB STATUS, performance_schema.
    `GRANT PROCESS ON *.* TO ${user};`,
    `GRANT SELECT ON performance_schema.* TO ${user};`,
    '',
  ].join('\n');
}

/** Version and settings that the strategies depend on. */
export async function mysqlConditions(url: string): Promise<Conditions> {
  const found = await variables(url);
  return {
    mysql: found['version'] ?? 'unknown',
    innodbFlushLogAtTrxCommit: Number(found['innodb_flush_log_at_trx_commit'] ?? NaN),
    innodbLockWaitTimeout: Number(found['innodb_lock_wait_timeout'] ?? NaN),
    isolation: found['transaction_isolation'] ?? found['tx_isolation'] ?? 'unknown',
    ...(found['innodb_snapshot_isolation'] && {
      innodbSnapshotIsolation: found['innodb_snapshot_isolation'],
    }),
  };
}

const VARIABLES = [
  'version',
  'innodb_flush_log_at_trx_commit',
  'innodb_lock_wait_timeout',
  'transaction_isolation',
  'tx_isolation',
  'innodb_snapshot_isolation',
];

async function variables(url: string): Promise<Record<string, string>> {
  const connection = await createConnection({ uri: url, connectTimeout: 2000 });
  try {
    const [rows] = await connection.query<RowDataPacket[]>('SHOW VARIABLES WHERE Variable_name IN (?)', [
      VARIABLES,
    ]);
    return Object.fromEntries(rows.map((row) => [String(row['Variable_name']), String(row['Value'])]));
  } finally {
    await connection.end();
  }
}
