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

/** Debian's packages run this script before they start a service; exit code 101 forbids the start. */
const POLICY = '/usr/sbin/policy-rc.d';

/**
 * Installs the missing servers, and the ones in `wanted`, with apt-get (Debian or Ubuntu, as root or with password-less
 * sudo). The distribution's services are not started. Does nothing when all programs are installed.
 * @throws StackError STACK.PROGRAM_MISSING when apt-get cannot be used, STACK.INSTALL_FAILED when apt-get failed.
 */
export async function ensureInstalled(
  onProgress: (line: string) => void = () => undefined,
  wanted: readonly (Component | OnDemand)[] = [],
): Promise<void> {
  const needed: readonly Needed[] = [...Object.values(NEEDED), ...neededBy(wanted)];
  const missing = needed.filter((one) => !find(one));
  if (missing.length === 0) return;
  const sudo = await rootPrefix();
  if (!sudo || !locate(['apt-get']))
    throw notPossible(
      missing,
      'This machine has no apt-get that works without a password, so the lab cannot install programs.',
    );

  try {
    onProgress('updating the package lists of apt');
    await retryWhileLocked(() => run('/usr/bin/env', [...sudo, 'apt-get', 'update', '-qq'], OUTPUT));
    const packages = (await Promise.all(missing.map(installable))).flat();
    onProgress(`installing ${packages.join(', ')}`);
    const install = [...sudo, ...APT, 'install', '-y', '-qq', '--no-install-recommends', ...packages];
    await withoutServices(sudo, () => retryWhileLocked(() => run('/usr/bin/env', install, OUTPUT)));
  } catch (error) {
    if (error instanceof StackError) throw error;
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw new StackError('STACK.INSTALL_FAILED', `apt-get failed: ${stderr || message}\n${help(missing)}`, {
      cause: error,
    });
  }
  const still = missing.filter((needed) => !find(needed));
  if (still.length > 0)
    throw notPossible(still, 'apt-get installed the packages, but the programs were not found.');
}

/** Milliseconds to wait for another apt process. */
const APT_BUSY_MS = 180_000;

/** Retries while another apt process holds the lock. */
async function retryWhileLocked(aptGet: () => Promise<unknown>): Promise<void> {
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

/** The command prefix that runs a command as root; undefined when that is not possible. */
async function rootPrefix(): Promise<string[] | undefined> {
  if (process.getuid?.() === 0) return [];
  try {
    await run('sudo', ['-n', 'true']);
    return ['sudo', '-n'];
  } catch {
    return undefined;
  }
}

/** The first alternative of `needed.apt` that this distribution can install. @throws StackError STACK.PROGRAM_MISSING */
async function installable(needed: Needed): Promise<string[]> {
  for (const names of needed.apt.map((text) => text.split(' '))) {
    const { stdout } = await run('apt-cache', ['policy', ...names]);
    if (stdout.match(/Candidate: (?!\(none\))/g)?.length === names.length) return names;
  }
  throw notPossible([needed], `apt cannot install any of ${needed.apt.join(', ')}.`);
}

/** Prevents packages from starting their services, unless the machine already has a policy script. */
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
