import type { Component } from '#lab/step';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { StackError } from './errors';
import { find, howToGet, locate, type Needed, NEEDED, neededBy, type OnDemand } from './programs';

const run = promisify(execFile);

/** Debian's packages ask this script before they start a service; 101 means: do not. */
const POLICY = '/usr/sbin/policy-rc.d';

/**
 * Installs the missing servers, and what is asked for besides, with apt-get where that is possible
 * without a question (Debian or Ubuntu, and root or password-less sudo). The distribution's own services are not started. Does nothing when all are there.
 * @throws StackError STACK.PROGRAM_MISSING when it is not possible here, STACK.INSTALL_FAILED when apt-get failed.
 */
export async function ensureInstalled(
  onProgress: (line: string) => void = () => undefined,
  wanted: readonly (Component | OnDemand)[] = [],
): Promise<void> {
  const needed: readonly Needed[] = [...Object.values(NEEDED), ...neededBy(wanted)];
  const missing = needed.filter((one) => !find(one));
  if (missing.length === 0) return;
  const sudo = await becomeRoot();
  if (!sudo || !locate(['apt-get']))
    throw notPossible(missing, 'This machine has no apt-get that works without a password.');

  try {
    onProgress('asking apt for its package lists');
    await inTurn(() => run('/usr/bin/env', [...sudo, 'apt-get', 'update', '-qq'], OUTPUT));
    const packages = (await Promise.all(missing.map(offered))).flat();
    onProgress(`installing ${packages.join(', ')}`);
    const install = [...sudo, ...APT, 'install', '-y', '-qq', '--no-install-recommends', ...packages];
    await withoutServices(sudo, () => inTurn(() => run('/usr/bin/env', install, OUTPUT)));
  } catch (error) {
    if (error instanceof StackError) throw error;
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw new StackError('STACK.INSTALL_FAILED', `apt-get failed: ${stderr || message}\n${help(missing)}`, {
      cause: error,
    });
  }
  const still = missing.filter((needed) => !find(needed));
  if (still.length > 0)
    throw notPossible(still, 'apt-get installed the packages, but the programs are not found.');
}

/** Milliseconds to wait for another apt, of this lab or anybody's. */
const APT_BUSY_MS = 180_000;

/** Tries again while another apt-get holds the lock. */
async function inTurn(aptGet: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + APT_BUSY_MS;
  for (;;) {
    try {
      await aptGet();
      return;
    } catch (error) {
      const isBusy = /(Could not get|Unable to acquire|Unable to lock)/.test((error as Error).message);
      if (!isBusy || performance.now() > deadline) throw error;
      await sleep(500);
    }
  }
}

const OUTPUT = { maxBuffer: 64 * 1024 * 1024 };
const APT = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get'];

/** Words to put before a command so that root runs it; undefined when we cannot. */
async function becomeRoot(): Promise<string[] | undefined> {
  if (process.getuid?.() === 0) return [];
  try {
    await run('sudo', ['-n', 'true']);
    return ['sudo', '-n'];
  } catch {
    return undefined;
  }
}

/** The first packages that this distribution can install. */
async function offered(needed: Needed): Promise<string[]> {
  for (const names of needed.apt.map((text) => text.split(' '))) {
    const { stdout } = await run('apt-cache', ['policy', ...names]);
    if (stdout.match(/Candidate: (?!\(none\))/g)?.length === names.length) return names;
  }
  throw notPossible([needed], `apt offers none of ${needed.apt.join(', ')}.`);
}

/** Keeps packages from starting their services, unless the machine has a policy of its own. */
async function withoutServices(sudo: readonly string[], install: () => Promise<unknown>): Promise<void> {
  if (locate([POLICY])) {
    await install();
    return;
  }
  const draft = join(tmpdir(), `policy-rc.d-${randomUUID()}`);
  writeFileSync(draft, '#!/bin/sh\nexit 101\n', { mode: 0o755, flag: 'wx' });
  try {
    await run('/usr/bin/env', [...sudo, 'install', '-m', '755', draft, POLICY]);
    await install();
  } finally {
    rmSync(draft, { force: true });
    await run('/usr/bin/env', [...sudo, 'rm', '-f', POLICY]);
  }
}

const notPossible = (missing: readonly Needed[], why: string): StackError =>
  new StackError('STACK.PROGRAM_MISSING', `${why}\n${help(missing)}`);

const help = (missing: readonly Needed[]): string =>
  missing.map((needed) => `${needed.name} is needed for ${needed.neededFor}. ${howToGet(needed)}`).join('\n');
