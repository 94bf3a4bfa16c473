// Installs the dependencies and builds the project if necessary. Plain JavaScript without dependencies, with a syntax that
// old versions of Node.js can parse, so that they reach the version check.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

const OLDEST_NODE = [20, 19];
const SOURCES = [
  'apps',
  'libs',
  'load-tests',
  'package.json',
  'nest-cli.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

/** The built page of the console. */
const PAGE = join('dist', 'web');

const path = (...parts) => join(root, ...parts);
const say = (line) => process.stderr.write(`${line}\n`);
const hash = (text) => createHash('sha256').update(text).digest('hex');

/** Ends the process with exit code 1 when preparation fails, or 2 when Node.js is too old or this is no checkout. */
export async function prepare() {
  checkNode();
  checkSources();
  if (dependenciesReady() && buildReady()) return;
  await withPrepareLock(async () => {
    if (!dependenciesReady()) await installDependencies();
    if (!buildReady()) await build();
  });
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  say(
    `Oversell Lab needs Node.js ${OLDEST_NODE.join('.')} or later; this is ${process.versions.node}. Install a newer version: https://nodejs.org`,
  );
  process.exit(2);
}

/** npm packs this file with every `bin`; an installed package has neither the commands nor the sources to build them. */
function checkSources() {
  if (existsSync(path('package-lock.json'))) return;
  say(
    'The installed package has only oversell-lab/kit; the commands of the lab need a checkout of its repository. To test your own code: import { explore } from "oversell-lab/kit".',
  );
  process.exit(2);
}

// --- dependencies -------------------------------------------------------------------------------------------------

const lockHash = () => hash(readFileSync(path('package-lock.json')));

function dependenciesReady() {
  const stamp = path('node_modules', '.lab-stamp');
  if (read(stamp) === lockHash()) return true;
  if (!installedByHand()) return false;
  writeFileSync(stamp, lockHash());
  return true;
}

/** Whether the packages in node_modules match the lock file, according to npm; npm ci is not necessary then. */
function installedByHand() {
  const installed = read(path('node_modules', '.package-lock.json'));
  if (installed === undefined) return false;
  const { packages: present } = JSON.parse(installed);
  const { packages: locked } = JSON.parse(readFileSync(path('package-lock.json'), 'utf8'));
  return Object.entries(locked).every(
    ([name, { version, optional }]) =>
      name === '' || (present[name] ? present[name].version === version : optional),
  );
}

async function installDependencies() {
  say('installing dependencies (npm ci)');
  const npm = process.env.npm_execpath;
  const [program, ...args] = npm && /npm-cli\.c?js$/.test(npm) ? [process.execPath, npm] : ['npm'];
  await runToEnd(
    program,
    [...args, 'ci', '--no-audit', '--no-fund'],
    'npm ci failed, see the output above. Check that the npm registry is reachable.',
  );
  writeFileSync(path('node_modules', '.lab-stamp'), lockHash());
}

// --- build --------------------------------------------------------------------------------------------------------

const buildReady = () =>
  existsSync(path('dist', 'apps', 'lab', 'src', 'main.js')) &&
  existsSync(path(PAGE, 'index.html')) &&
  read(path('dist', '.lab-stamp')) === sources();

async function build() {
  say('building (only when the sources have changed; about half a minute)');
  const before = sources();
  // Without the output, the incremental build information would make the compiler skip all files.
  if (!existsSync(path('dist', 'apps', 'lab', 'src', 'main.js')))
    rmSync(path('dist', 'build.tsbuildinfo'), { force: true });
  const nest = path('node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
  // Builds in place: a lab that runs from dist/ needs its files.
  await runToEnd(process.execPath, [nest, 'build'], 'The build failed, see the output above.');
  removeOutdated('.');
  await buildPage();
  writeFileSync(path('dist', '.lab-stamp'), before);
}

/** The page of the console. Vite deletes the files of the page before. */
async function buildPage() {
  const vite = path('node_modules', 'vite', 'bin', 'vite.js');
  const config = path('apps', 'console', 'web', 'vite.config.ts');
  const args = ['build', '--config', config, '--logLevel', 'warn'];
  const environment = { ...process.env, NODE_ENV: 'production' }; // jest sets another one: a development build
  const failure = 'The build of the page failed, see the output above.';
  await runToEnd(process.execPath, [vite, ...args], failure, environment);
}

/** Deletes the output of source files that were moved: an old `faults.js` would hide `faults/index.js`. */
function removeOutdated(folder) {
  for (const entry of readdirSync(path('dist', folder), { withFileTypes: true })) {
    const name = join(folder, entry.name);
    if (join('dist', name) === PAGE) continue; // not made by the compiler
    const source = name.replace(/\.js(\.map)?$/, '.ts');
    if (entry.isDirectory()) removeOutdated(name);
    else if (source !== name && !existsSync(path(source))) rmSync(path('dist', name));
  }
}

/** A hash of names, sizes and modification times of all files that the build reads. */
function sources() {
  const seen = [];
  const visit = (name) => {
    const file = path(name);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats) return;
    if (stats.isDirectory()) for (const entry of readdirSync(file).sort()) visit(join(name, entry));
    else seen.push(`${name} ${stats.size} ${stats.mtimeMs}`);
  };
  SOURCES.forEach(visit);
  return hash(seen.join('\n'));
}

// --- running ------------------------------------------------------------------------------------------------------

/**
 * Runs a script in this terminal and exits with its exit code. Signals are forwarded, so that a signal to npm or to this
 * process alone also reaches the script. Ctrl-C in a terminal therefore reaches it twice, which it treats as one.
 */
export function runAndExit(script, args, environment = process.env) {
  const child = spawn(process.execPath, [script, ...args], { stdio: 'inherit', env: environment });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
  // npm forwards a signal only to its shell: when the shell has ended, this process has lost its parent
  const parent = process.ppid;
  const orphaned = () => process.ppid !== parent && child.kill('SIGTERM');
  if (environment.npm_execpath !== undefined) setInterval(orphaned, 500).unref();
}

function runToEnd(program, args, failure, env = process.env) {
  return new Promise((done) => {
    // Its output is progress and is printed to stderr; stdout is reserved for the output of the command.
    const child = spawn(program, args, { cwd: root, env, stdio: ['ignore', 2, 2] });
    const check = (code) => {
      if (code === 0) return done();
      say(failure);
      process.exit(1);
    };
    child.on('error', (error) => check(error.message)).on('exit', check);
  });
}

/** Runs one preparation at a time in this checkout. */
async function withPrepareLock(work) {
  mkdirSync(path('.lab'), { recursive: true });
  const lock = path('.lab', 'prepare.lock');
  let isReported = false;
  while (!take(lock)) {
    const holder = Number(read(lock));
    if (holder && !isAlive(holder)) rmSync(lock, { force: true });
    else if (!isReported) say(`waiting for process ${holder}, which is preparing this checkout`);
    isReported = true;
    await sleep(200);
  }
  const release = () => rmSync(lock, { force: true });
  process.on('exit', release);
  await work();
  process.off('exit', release);
  release();
}

/** Takes the lock with a link, which appears with its content; a new file would be empty at first. */
function take(lock) {
  const draft = `${lock}.${process.pid}`;
  writeFileSync(draft, String(process.pid));
  try {
    linkSync(draft, lock);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
