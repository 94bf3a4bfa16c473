import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { asRoot, give } from './os-account';
import { type Command, runToEnd } from './child';
import type { Claim } from './claim';
import { StackError } from './errors';
import type { Layout } from './layout';
import { infra } from './paths';
import type { Program } from './programs';

const INSTALL_MS = 120_000;

/**
 * Creates an initialized data folder at `target`. Initialization takes a second or more, so it is done once per server
 * version, configuration and account, and each stack copies the result.
 */
export async function freshData(
  program: Program,
  target: string,
  layout: Layout,
  claim: Claim,
): Promise<void> {
  const template = await readyTemplate(program, layout, claim);
  // cp runs as the server's account, so that it owns the copies; cp also clones where the file system can.
  const args = ['-pR', template, target];
  await runToEnd({ name: 'mysql-copy', program: '/bin/cp', args, ...common(layout) }, claim, INSTALL_MS);
}

async function readyTemplate(program: Program, layout: Layout, claim: Claim): Promise<string> {
  const hash = createHash('sha256')
    .update(readFileSync(infra('mysql', 'lab.cnf')))
    .digest('hex')
    .slice(0, 8);
  const key = [basename(program.path), program.version, hash, layout.account?.name ?? 'self'].join('-');
  const template = join(layout.templates, key);
  if (existsSync(template)) return template;

  const draft = join(layout.templates, `.draft-${randomBytes(4).toString('hex')}`);
  const initialize = program.version.endsWith('MariaDB') ? mariadb : mysql8;
  await runToEnd(initialize(program, draft, layout), claim, INSTALL_MS);
  try {
    renameSync(draft, template);
  } catch (error) {
    // Another stack was faster: its folder has the same content.
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(template)) throw error;
  }
  return template;
}

const mysql8 = ({ path }: Program, draft: string, layout: Layout): Command => ({
  name: 'mysql-install',
  program: path,
  args: [...initializeArgs(draft, layout), '--initialize-insecure'],
  ...common(layout),
});

/**
 * Replaces mariadb-install-db: that script needs my_print_defaults, which Debian's mariadb-server-core lacks, and most of its
 * time goes into help tables and a sys schema, which the lab never reads.
 */
function mariadb({ path }: Program, draft: string, layout: Layout): Command {
  mkdirSync(draft);
  give(draft, layout.account);
  const input = layout.dataPath('mysql', 'bootstrap.sql');
  const scripts = ['system_tables', 'performance_tables', 'system_tables_data'];
  const statements = [
    'CREATE DATABASE mysql;',
    'USE mysql;',
    'SET @auth_root_socket = NULL;',
    ...scripts.map((name) => readFileSync(script(path, name), 'utf8')),
    // Accounts without a password. The init file creates the lab's user at each start.
    "DELETE FROM global_priv WHERE User IN ('root', '');",
    '',
  ];
  writeFileSync(input, statements.join('\n'));
  const args = [...initializeArgs(draft, layout), '--bootstrap'];
  return { name: 'mysql-install', program: path, args, input, ...common(layout) };
}

/** Named mysql_… until MariaDB 10.11, mariadb_… since. */
function script(server: string, name: string): string {
  const prefix = dirname(dirname(realpathSync(server)));
  for (const folder of ['mysql', 'mariadb']
    .map((share) => join(prefix, 'share', share))
    .filter((one) => existsSync(one))) {
    const file = readdirSync(folder).find(
      (one) => one === `mysql_${name}.sql` || one === `mariadb_${name}.sql`,
    );
    if (file) return join(folder, file);
  }
  throw new StackError(
    'STACK.PROGRAM_MISSING',
    `${server} is installed, but ${name}.sql is missing in ${prefix}/share. Install it again: apt-get install --reinstall mariadb-server-core`,
  );
}

/** A server removes all temporary tables from its `tmpdir` when it starts, also those of others, so each has one of its own. */
const initializeArgs = (draft: string, layout: Layout): string[] => [
  `--defaults-file=${layout.dataPath('mysql', 'lab.cnf')}`,
  `--datadir=${draft}`,
  `--tmpdir=${layout.dataFolder('mysql', 'tmp')}`,
  ...asRoot(layout.account),
];

const common = (layout: Layout) => ({
  cwd: layout.dataPath('mysql'),
  log: layout.log('mysql-install'),
  account: layout.account,
});
