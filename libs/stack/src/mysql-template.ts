import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asRoot } from './account';
import { runToEnd } from './child';
import type { Claim } from './claim';
import { StackError } from './errors';
import type { Layout } from './layout';
import { infra } from './paths';
import { locate, type Program } from './programs';

const INSTALL_MS = 120_000;

/**
 * Puts a freshly initialised data folder at `target`. Initialising takes seconds, so it is done once per server version,
 * configuration and account; each stack copies the result.
 */
export async function freshData(
  program: Program,
  config: string,
  target: string,
  layout: Layout,
  claim: Claim,
): Promise<void> {
  const template = await readyTemplate(program, config, layout, claim);
  // cp as the server's own account: the copies belong to it, and a file system that can clone does.
  await runToEnd(
    { name: 'mysql-copy', program: '/bin/cp', args: ['-pR', template, target], ...common(layout) },
    claim,
    INSTALL_MS,
  );
}

async function readyTemplate(
  program: Program,
  config: string,
  layout: Layout,
  claim: Claim,
): Promise<string> {
  const hash = createHash('sha256')
    .update(readFileSync(infra('mysql', 'lab.cnf')))
    .digest('hex')
    .slice(0, 8);
  const key = `${program.path.split('/').at(-1) ?? ''}-${program.version}-${hash}-${layout.account?.name ?? 'self'}`;
  const template = join(layout.templates, key);
  if (existsSync(template)) return template;

  const draft = join(layout.templates, `.draft-${randomBytes(4).toString('hex')}`);
  await runToEnd(
    { name: 'mysql-install', ...installer(program, config, draft, layout), ...common(layout) },
    claim,
    INSTALL_MS,
  );
  try {
    renameSync(draft, template);
  } catch (error) {
    // Another stack was faster: its folder is as good as ours.
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(template)) throw error;
  }
  return template;
}

function installer(
  program: Program,
  config: string,
  draft: string,
  layout: Layout,
): { program: string; args: string[] } {
  const user = asRoot(layout.account);
  if (!program.version.endsWith('MariaDB')) {
    return {
      program: program.path,
      args: [`--defaults-file=${config}`, '--initialize-insecure', `--datadir=${draft}`, ...user],
    };
  }
  const script = locate(['mariadb-install-db', 'mysql_install_db']);
  if (!script) {
    throw new StackError(
      'STACK.PROGRAM_MISSING',
      `mariadb-install-db is missing although ${program.path} is there: apt-get install --reinstall mariadb-server-core`,
    );
  }
  const args = ['--auth-root-authentication-method=normal', '--skip-test-db', `--datadir=${draft}`, ...user];
  return { program: script, args: [`--defaults-file=${config}`, ...args] };
}

const common = (layout: Layout) => ({
  cwd: dirname(layout.dataPath('x')),
  log: layout.log('mysql-install'),
  account: layout.account,
});
