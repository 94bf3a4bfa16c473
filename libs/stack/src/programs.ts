import type { Component } from '#lab/step';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StackError } from './errors';

/** Folders of server programs that a user's PATH may lack. */
const EXTRA_FOLDERS = '/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/opt/homebrew/bin:/opt/homebrew/sbin';

export interface Program {
  readonly path: string;
  /** e.g. `10.11.19-MariaDB`; empty when it is unknown. */
  readonly version: string;
  /** The first of `Needed.files` that exists. */
  readonly file?: string;
}

export interface Needed {
  readonly name: string;
  /** Names of the program, the preferred first. */
  readonly commands: readonly string[];
  readonly versionFlag: string;
  /** Files of which the program needs one, the preferred first. The version is taken from their names. */
  readonly files?: readonly string[];
  readonly neededFor: string;
  /** Debian and Ubuntu packages, the preferred first; packages that are needed together are separated by spaces. */
  readonly apt: readonly string[];
  readonly brew: string;
  readonly docker: string;
}

/** The programs that every stack runs, and how to install them. */
export const NEEDED = {
  redis: {
    name: 'redis-server',
    commands: ['redis-server'],
    versionFlag: '--version',
    neededFor: 'locks in Redis',
    apt: ['redis-server'],
    brew: 'redis',
    docker: 'redis:7',
  },
  mysql: {
    name: 'mariadbd or mysqld',
    commands: ['mariadbd', 'mysqld'],
    versionFlag: '--version',
    neededFor: 'stock, orders and movements',
    apt: ['mariadb-server-core', 'mariadb-server-core-10.6', 'mysql-server-core-8.0'],
    brew: 'mariadb',
    docker: 'mariadb:10.11',
  },
  nginx: {
    name: 'nginx',
    commands: ['nginx'],
    versionFlag: '-v',
    neededFor: 'several replicas behind one address',
    apt: ['nginx-light', 'nginx'],
    brew: 'nginx',
    docker: 'nginx:1.28',
  },
} as const satisfies Record<string, Needed>;

/** Programs for some strategies or drills only, installed on request. */
export const ON_DEMAND = {
  zookeeper: {
    name: 'zookeeper',
    commands: ['java', '/opt/homebrew/opt/openjdk/bin/java', '/usr/local/opt/openjdk/bin/java'],
    versionFlag: '-version',
    files: [
      '/usr/share/java/zookeeper.jar',
      '/opt/homebrew/opt/zookeeper/libexec/lib',
      '/usr/local/opt/zookeeper/libexec/lib',
    ],
    neededFor: 'locks in ZooKeeper (--with zookeeper)',
    // Debian's package zookeeper would add a desktop Java and unused scripts.
    apt: ['libzookeeper-java default-jre-headless'],
    brew: 'zookeeper',
    docker: 'zookeeper:3.8, profile zookeeper',
  },
  etcd: {
    name: 'etcd',
    commands: ['etcd'],
    versionFlag: '--version',
    neededFor: 'locks in etcd (--with etcd)',
    apt: ['etcd-server', 'etcd'],
    brew: 'etcd',
    docker: 'etcd 3.4, profile etcd',
  },
  faketime: {
    name: 'libfaketime',
    commands: ['faketime'],
    versionFlag: '--version',
    files: ['x86_64', 'aarch64'].map((cpu) => `/usr/lib/${cpu}-linux-gnu/faketime/libfaketime.so.1`),
    neededFor: "drills that set one server's clock (lab drill clock-jump)",
    apt: ['faketime'],
    brew: 'libfaketime',
    docker: 'not in the images: Linux only',
  },
  chromium: {
    name: 'chromium',
    commands: ['chromium', 'chromium-browser', 'google-chrome'],
    versionFlag: '--version',
    neededFor: "the tests of the console's page (npm test)",
    apt: ['chromium', 'chromium-browser'],
    brew: '--cask chromium',
    docker: 'not in the images: tests only',
  },
} as const satisfies Record<string, Needed>;
export type OnDemand = keyof typeof ON_DEMAND;

/** Programs that can send load besides the lab. The lab never installs them. */
export const LOAD_TOOLS = {
  jmeter: {
    name: 'jmeter',
    commands: ['jmeter'],
    versionFlag: '-v',
    neededFor: 'load from JMeter (load-tests/jmeter), and the test of its plan',
    apt: ['jmeter jmeter-http'],
    brew: 'jmeter',
    docker: 'not in the images: any JMeter can send to the public port',
  },
} as const satisfies Record<string, Needed>;

/** The programs that these components need besides `NEEDED`. */
export const neededBy = (wanted: readonly (Component | OnDemand)[]): readonly Needed[] =>
  Object.entries(ON_DEMAND).flatMap(([name, needed]) => (wanted.includes(name as OnDemand) ? [needed] : []));

/** Path and version of the first of these programs that is installed. */
export function find({ commands, versionFlag, files }: Needed): Program | undefined {
  const path = locate(commands);
  if (path === undefined) return undefined;
  if (files === undefined) return { path, version: versionOf(path, versionFlag) };
  const file = files.find((one) => existsSync(one));
  return file === undefined
    ? undefined
    : { path, version: versionBeside(file) || versionOf(path, versionFlag), file };
}

/** Like `find`. @throws StackError STACK.PROGRAM_MISSING with installation commands. */
export function demand(needed: Needed): Program {
  const found = find(needed);
  if (found) return found;
  throw new StackError('STACK.PROGRAM_MISSING', `${needed.name} is not installed. ${howToGet(needed)}`);
}

export const howToGet = ({ apt, brew, docker }: Needed): string =>
  `Install or replace it with one of:\n    apt-get install --no-install-recommends ${apt[0] ?? ''}\n    brew install ${brew}\n    docker compose up   (the shop in containers, for load tests, with ${docker}; lab explore needs the program itself)`;

/** The first of these commands in PATH or in the usual server folders. */
export function locate(commands: readonly string[]): string | undefined {
  for (const command of commands) {
    try {
      const script = `PATH="$PATH:${EXTRA_FOLDERS}"; command -v ${command}`;
      return execFileSync('/bin/sh', ['-c', script], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim();
    } catch {
      continue;
    }
  }
  return undefined;
}

function versionOf(path: string, flag: string): string {
  try {
    // nginx prints its version on stderr.
    return versionIn(execFileSync('/bin/sh', ['-c', '"$0" "$1" 2>&1', path, flag], { encoding: 'utf8' }));
  } catch {
    return '';
  }
}

/** The version in the name of `zookeeper-3.8.0.jar`, which is in this folder or beside this file. */
function versionBeside(file: string): string {
  const names = readdirSync(statSync(file).isDirectory() ? file : dirname(file));
  return versionIn(names.find((name) => /^zookeeper-\d/.test(name)) ?? '');
}

const versionIn = (text: string): string => /\d+\.\d+\.\d+(-MariaDB)?/.exec(text)?.[0] ?? '';
