import { currentScope } from '#lab/step';
import { commonJsOf, nameOf, strategyOf, subjectIn, type OwnSubject } from '#lab/own';
import type { Strategy } from '#lab/strategy';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, extname, join, sep } from 'node:path';
import perfHooks from 'node:perf_hooks';
import { compileFunction } from 'node:vm';
import { realmConsole } from './realm-console';
import { RealmRandom } from './realm-random';
import { RealmTimers } from './realm-timers';
import { RealmDate, realmHrtime, realmPerformance } from './virtual-date';

/** A module instance of a realm. */
interface RealmModule {
  exports: unknown;
  readonly filename: string;
  readonly id: string;
  loaded: boolean;
}

/**
 * Result of `require`: a file of the realm, a built-in that the realm replaces, or an instance shared by this thread.
 */
type Target =
  | { readonly kind: 'own'; readonly file: string }
  | { readonly kind: 'built-in'; readonly name: string; readonly exports: unknown }
  | { readonly kind: 'shared'; readonly exports: unknown };

/**
 * A compiled module: a function of the globals of a realm that returns a function of the module's scope, which evaluates it. A
 * module may declare a name of a global, for example `const crypto = require('crypto')`.
 */
type Body = (...globals: readonly unknown[]) => (this: unknown, ...scope: readonly unknown[]) => void;

/** A module compiled once for this thread, with the resolved targets of its requires. */
interface Compiled {
  readonly body: Body;
  readonly targets: Map<string, Target>;
}

/** Globals that each realm has for itself. */
const OWN_GLOBALS = [
  'process',
  'console',
  'global',
  'globalThis',
  'Date',
  'performance',
  'Math',
  'crypto',
  'AbortSignal',
  ...RealmTimers.NAMES,
] as const;

/** Names in a module's scope besides globals, in the order of its body's arguments. */
const SCOPE = ['exports', 'require', 'module', '__filename', '__dirname'];

const LIBS = join(__dirname, '..', '..', '..') + sep;
const STRATEGY_LIB = join(LIBS, 'strategy', 'src') + sep;
/** Entry of the strategy library: a realm evaluates its modules lazily. */
const STRATEGY_ENTRY = `${STRATEGY_LIB}index`;

/**
 * Modules of the strategy library that all processes share:
 * - `scripts` is the registry of Lua texts, which are loaded into servers once;
 * - `errors` is compared with `instanceof` on both sides;
 * - `local-process` and its queues are objects that the explorer creates, one for each process;
 * - `contract`, `options` and `sections` are constants.
 * None of them may keep per-process state in its module: test/explore/realm.spec.ts.
 */
export const SHARED_MODULES: readonly string[] = [
  'shared/scripts',
  'shared/errors',
  'shared/local-process',
  'shared/pub-sub',
  'shared/turns',
  'shared/wait-queues',
  'contract',
  'options',
  'sections',
];

/**
 * Packages that all processes share: the clients whose connections and errors the explorer passes to a strategy, and
 * bluebird, a promise library without locks that takes longer to evaluate than a schedule takes to run.
 */
const SHARED_PACKAGES: ReadonlySet<string> = new Set([
  'bluebird',
  'etcd3',
  'ioredis',
  'mysql2',
  'node-zookeeper-client',
  'reflect-metadata',
  'typeorm',
]);

const compiled = new Map<string, Compiled>();

/** The module cannot be loaded separately for each process. */
export class NotLoadable extends Error {
  readonly code = 'EXPLORE.NOT_LOADABLE';

  constructor(file: string, why: string, options?: ErrorOptions) {
    super(`${file} cannot be loaded for each explored process: ${why}`, options);
    this.name = 'NotLoadable';
  }
}

/** The code has called `process.exit`. */
export class CalledExit extends Error {
  readonly code = 'EXPLORE.EXIT';

  constructor() {
    super('its code has called process.exit');
    this.name = 'CalledExit';
  }
}

/** `process.exit` of a realm: ends the process in the schedule. */
function exit(): never {
  const error = new CalledExit();
  currentScope()?.onUnhandled?.(error);
  throw error;
}

/**
 * Module instances of one explored process. Two processes of a schedule are objects in one Node process; with a realm
 * each they share no variable of a strategy's modules, like two replicas: a `let locked` or a mutex at the top of a
 * file protects one process only. `process.pid`, `globalThis`, `console`, timers and clocks belong to the realm as well, and the
 * randomness of foreign code.
 *
 * Every schedule starts with new realms, so that no module state leaks into the next one. Code is compiled once per
 * thread, in this realm's context: `instanceof Error` and `instanceof Array` hold on both sides.
 *
 * Limits. Shared between realms: the packages in `SHARED_PACKAGES`, native addons, Node's own modules, changes of
 * intrinsics (`Array.prototype`), and what a CommonJS package loads by `import()`. Refused: a strategy that calls `import()`,
 * and an ES module that awaits at its top.
 */
export class Realm {
  readonly timers = new RealmTimers();
  /** Undefined: the code is ours. */
  readonly random: RealmRandom | undefined;
  private readonly modules = new Map<string, RealmModule>();
  private readonly globals: Readonly<Record<(typeof OWN_GLOBALS)[number], unknown>>;
  /** Node's modules that this realm replaces. */
  private readonly builtIns: Readonly<Record<string, unknown>>;

  /** `isForeign`: the code is not ours, and its randomness is that of the schedule. */
  constructor(pid: number, { isForeign = false }: { readonly isForeign?: boolean } = {}) {
    const own = Object.create(process, {
      pid: { value: pid, enumerable: true },
      hrtime: { value: realmHrtime, enumerable: true },
      exit: { value: exit, enumerable: true },
    }) as NodeJS.Process;
    const global = Object.create(globalThis) as object;
    const random = (this.random = isForeign ? new RealmRandom(pid) : undefined);
    this.globals = {
      process: own,
      console: realmConsole,
      global,
      globalThis: global,
      Date: RealmDate,
      performance: realmPerformance,
      Math: random?.math ?? Math,
      crypto: random?.webCrypto ?? globalThis.crypto,
      AbortSignal: this.timers.abortSignal,
      ...this.timers.globals,
    };
    this.builtIns = {
      process: own,
      console: realmConsole,
      timers: this.timers.module,
      'timers/promises': this.timers.promises,
      perf_hooks: { ...perfHooks, performance: realmPerformance },
      ...(random !== undefined && { crypto: random.crypto }),
    };
    // defined, not assigned: an assignment to an accessor such as `process` would reach the one of Node
    for (const [name, value] of Object.entries(this.globals))
      Object.defineProperty(global, name, { value, writable: true, configurable: true, enumerable: true });
  }

  /** The exports of a CommonJS or TypeScript file, evaluated once in this realm. */
  load(file: string): unknown {
    const known = this.modules.get(file);
    if (known !== undefined) return known.exports;
    const module: RealmModule = { exports: {}, filename: file, id: file, loaded: false };
    this.modules.set(file, module); // before evaluation: circular requires
    try {
      if (extname(file) === '.json') module.exports = JSON.parse(readFileSync(file, 'utf8')) as unknown;
      else this.evaluate(file, module);
    } catch (error) {
      this.modules.delete(file);
      throw error;
    }
    module.loaded = true;
    return module.exports;
  }

  private evaluate(file: string, module: RealmModule): void {
    const { body, targets } = compile(file);
    const isEntry = withoutExtension(file) === STRATEGY_ENTRY;
    const find = (request: string): unknown => {
      let target = targets.get(request);
      if (target === undefined) {
        target = targetOf(file, request);
        targets.set(request, target);
      }
      return isEntry && target.kind === 'own' ? this.lazyExportsOf(target.file) : this.exportsOf(target);
    };
    const require = Object.assign(find, { resolve: (request: string) => resolve(file, request), cache: {} });
    const globals = OWN_GLOBALS.map((name) => this.globals[name]);
    body(...globals).call(module.exports, module.exports, require, module, file, dirname(file));
  }

  private exportsOf(target: Target): unknown {
    if (target.kind === 'own') return this.load(target.file);
    return target.kind === 'shared' ? target.exports : (this.builtIns[target.name] ?? target.exports);
  }

  /** Evaluates the module on first property access. */
  private lazyExportsOf(file: string): object {
    return new Proxy({}, { get: (_, name) => (this.load(file) as Record<string | symbol, unknown>)[name] });
  }
}

/** Loads the strategy with this name from `file` into a realm. Throws `NotLoadable` when `file` does not export it. */
export function loadStrategy(file: string, name: string, realm: Realm): Strategy {
  const exports = realm.load(file);
  if (name === nameOf(file)) return strategyOf(exports, file);
  const found = Object.values(exports as object).find(
    (exported: unknown): exported is Strategy =>
      typeof exported === 'object' && exported !== null && (exported as Partial<Strategy>).name === name,
  );
  if (found === undefined) throw new NotLoadable(file, `it exports no strategy named "${name}"`);
  return found;
}

/** Loads the subject of a user's file, or the strategy with this name. Throws `NotLoadable`. */
export function loadExplored(file: string, name: string, realm: Realm): Strategy | OwnSubject {
  const subject = name === nameOf(file) ? subjectIn(realm.load(file), file) : undefined;
  return subject ?? loadStrategy(file, name, realm);
}

function compile(file: string): Compiled {
  const known = compiled.get(file);
  if (known !== undefined) return known;
  const text = commonJsOf(file);
  if (!isInPackage(file) && /\bimport\s*\(/.test(text))
    throw new NotLoadable(
      file,
      'it calls import(), which would share the module between processes. Import it at the top',
    );
  const made = { body: compileText(file, text), targets: new Map<string, Target>() };
  compiled.set(file, made);
  return made;
}

function compileText(file: string, text: string): Body {
  try {
    // eval instead of vm.Script: in jest the latter compiles for another context, with a different Error class
    return (0, eval)(
      `(function (${OWN_GLOBALS.join(', ')}) { return function (${SCOPE.join(', ')}) {${withoutShebang(text)}\n} })\n//# sourceURL=${file}`,
    ) as Body;
  } catch (error) {
    throw notCompiled(file, text, error);
  }
}

const withoutShebang = (text: string): string => text.replace(/^#!.*/, '');

/** An error of eval has no line: that of a file that was not transpiled is the one that Node reports. */
function notCompiled(file: string, text: string, cause: unknown): NotLoadable {
  let { message, stack = '' } = cause as Error;
  if (text === readFileSync(file, 'utf8'))
    try {
      compileFunction(withoutShebang(text), SCOPE, { filename: file });
    } catch (error) {
      ({ message, stack = '' } = error as Error);
    }
  const [line = ''] = /^:\d+$/m.exec(stack.replace(file, '')) ?? [];
  const what = /'export'|import statement/.test(message)
    ? 'An ES module must have the extension .mjs, or be in a package with "type": "module"'
    : 'It must be TypeScript, CommonJS or an ES module without await at its top';
  return new NotLoadable(`${file}${line}`, `${message}. ${what}`, { cause });
}

function targetOf(from: string, request: string): Target {
  if (isBuiltin(request)) {
    const exports = createRequire(from)(request) as unknown;
    return { kind: 'built-in', name: request.replace(/^node:/, ''), exports };
  }
  const file = resolve(from, request);
  if (!isShared(file)) return { kind: 'own', file };
  const exports = createRequire(from)(request) as unknown;
  if (isInPackage(file) && packageOf(file) === 'bluebird') (exports as Bluebird).config({ asyncHooks: true });
  return { kind: 'shared', exports };
}

/** Runs callbacks of several promises in one turn, in the async context of the first, unless `asyncHooks` are on. */
interface Bluebird {
  config(options: { readonly asyncHooks: boolean }): void;
}

function isShared(file: string): boolean {
  if (extname(file) === '.node') return true;
  if (isInPackage(file)) return SHARED_PACKAGES.has(packageOf(file));
  if (file.startsWith(STRATEGY_LIB))
    return SHARED_MODULES.includes(withoutExtension(file.slice(STRATEGY_LIB.length)).replaceAll(sep, '/'));
  return file.startsWith(LIBS); // the seam, the balances and the explorer are not part of a strategy
}

const PACKAGES = `${sep}node_modules${sep}`;
const isInPackage = (file: string): boolean => file.includes(PACKAGES);

function packageOf(file: string): string {
  const [scope = '', name = ''] = file.slice(file.lastIndexOf(PACKAGES) + PACKAGES.length).split(sep);
  return scope.startsWith('@') ? `${scope}/${name}` : scope;
}

const withoutExtension = (file: string): string => file.slice(0, file.length - extname(file).length);

const EXTENSIONS = ['', '.ts', '.js', '.cjs', '.mjs', '.json', `${sep}index.ts`, `${sep}index.js`];

/** Resolves like Node; a relative path may also be a TypeScript source. */
function resolve(from: string, request: string): string {
  if (/^\.{1,2}(\/|$)/.test(request)) {
    const base = join(dirname(from), request);
    const candidates = [...EXTENSIONS.map((extension) => base + extension), base.replace(/\.js$/, '.ts')];
    const found = candidates.find((file) => existsSync(file) && statSync(file).isFile());
    if (found !== undefined) return found;
  }
  return createRequire(from).resolve(request);
}
