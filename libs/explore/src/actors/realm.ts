import type { Strategy } from '#lab/strategy';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, extname, join, sep } from 'node:path';
import { commonJsOf } from './common-js';
import { RealmTimers } from './realm-timers';

/** A module that is evaluated in a realm. */
interface RealmModule {
  exports: unknown;
  readonly filename: string;
  readonly id: string;
  loaded: boolean;
}

/** What `require` answers: a file of the realm's own, a part of the realm, or the one instance of this thread. */
type Target =
  | { readonly kind: 'own'; readonly file: string }
  | { readonly kind: 'process' | 'timers' | 'timers/promises' }
  | { readonly kind: 'shared'; readonly exports: unknown };

/** A module's text as a function; each call evaluates the module afresh. */
type Body = (this: unknown, ...args: readonly unknown[]) => void;

/** A module's code, compiled once for this thread, and what its requires resolve to. */
interface Compiled {
  readonly body: Body;
  readonly targets: Map<string, Target>;
}

/** The names that a module finds in its scope, in the order of the arguments of its body. */
const SCOPE = [
  'exports',
  'require',
  'module',
  '__filename',
  '__dirname',
  'process',
  'global',
  'globalThis',
  ...RealmTimers.NAMES,
];

const LIBS = join(__dirname, '..', '..', '..') + sep;
const STRATEGY_LIB = join(LIBS, 'strategy', 'src') + sep;
/** The entry of the strategy library: its modules are evaluated in a realm when they are used, not all at once. */
const STRATEGY_ENTRY = `${STRATEGY_LIB}index`;

/**
 * Modules of the strategy library that all processes share:
 * - `scripts` is the registry of Lua texts, which servers are taught once;
 * - `errors` is compared with `instanceof`, whichever side threw;
 * - `local-process` and its waiting lines are objects that the explorer makes, one for each process;
 * - `contract`, `options` and `sections` are constants.
 * None of them may keep state of a process in its module: test/explore/realm.spec.ts.
 */
export const SHARED_MODULES: readonly string[] = [
  'shared/scripts',
  'shared/errors',
  'shared/local-process',
  'shared/notices',
  'shared/turns',
  'shared/waiting-room',
  'contract',
  'options',
  'sections',
];

/**
 * Packages that all processes share: the clients whose connections and errors the explorer hands to a strategy, and
 * bluebird, a promise library without locks, which takes longer to evaluate than a schedule takes to run.
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

/** A module cannot be given to each process separately. */
export class NotLoadable extends Error {
  readonly code = 'EXPLORE.NOT_LOADABLE';

  constructor(file: string, why: string, options?: ErrorOptions) {
    super(`${file} cannot be loaded for each explored process: ${why}`, options);
    this.name = 'NotLoadable';
  }
}

/**
 * The module instances of one explored process. Two processes of a schedule are objects in one Node process; with a
 * realm each they share no variable of a strategy's modules, as two replicas share none: a `let locked` or a mutex at
 * the top of a file protects one process only. `process.pid`, `globalThis` and timers belong to the realm as well.
 *
 * Every schedule begins with new realms, so that no module state leaks into the next one. Code is compiled once for
 * each thread, by this realm's context: `instanceof Error` and `instanceof Array` hold on both sides.
 *
 * Limits. Shared between realms: the packages in `SHARED_PACKAGES`, native addons, Node's own modules, changes of
 * intrinsics (`Array.prototype`), and ES modules that a package loads by `import()`. Refused: a strategy that is an
 * ES module, or that calls `import()`.
 */
export class Realm {
  readonly timers = new RealmTimers();
  private readonly modules = new Map<string, RealmModule>();
  private readonly process: NodeJS.Process;
  private readonly global: object;

  constructor(pid: number) {
    this.process = Object.create(process, { pid: { value: pid, enumerable: true } }) as NodeJS.Process;
    const own = { process: this.process, ...this.timers.globals };
    this.global = Object.assign(Object.create(globalThis) as object, own);
    Object.assign(this.global, { global: this.global, globalThis: this.global });
  }

  /** The exports of a CommonJS or TypeScript file, evaluated once in this realm. */
  load(file: string): unknown {
    const known = this.modules.get(file);
    if (known !== undefined) return known.exports;
    const module: RealmModule = { exports: {}, filename: file, id: file, loaded: false };
    this.modules.set(file, module); // before it is evaluated: modules may require each other in a circle
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
      return isEntry && target.kind === 'own' ? this.whenUsed(target.file) : this.exportsOf(target);
    };
    const require = Object.assign(find, { resolve: (request: string) => resolve(file, request), cache: {} });
    body.call(
      module.exports,
      module.exports,
      require,
      module,
      file,
      dirname(file),
      this.process,
      this.global,
      this.global,
      ...this.timers.values,
    );
  }

  private exportsOf(target: Target): unknown {
    if (target.kind === 'own') return this.load(target.file);
    if (target.kind === 'shared') return target.exports;
    if (target.kind === 'process') return this.process;
    if (target.kind === 'timers') return this.timers.module;
    return this.timers.promises;
  }

  /** A namespace that evaluates its module when something of it is used. */
  private whenUsed(file: string): object {
    return new Proxy({}, { get: (_, name) => (this.load(file) as Record<string | symbol, unknown>)[name] });
  }
}

/** The strategy of this name, evaluated in a realm: `file` exports it. Throws `NotLoadable` when it does not. */
export function loadStrategy(file: string, name: string, realm: Realm): Strategy {
  const found = Object.values(realm.load(file) as object).find(
    (exported: unknown): exported is Strategy =>
      typeof exported === 'object' && exported !== null && (exported as Partial<Strategy>).name === name,
  );
  if (found === undefined) throw new NotLoadable(file, `it exports no strategy named "${name}"`);
  return found;
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
    // eval, not vm.Script: in jest the latter would compile for another context, with an Error class of its own
    return (0, eval)(
      `(function (${SCOPE.join(', ')}) {${text.replace(/^#!.*/, '')}\n})\n//# sourceURL=${file}`,
    ) as Body;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new NotLoadable(file, `${why}. It must be TypeScript or CommonJS`, { cause });
  }
}

function targetOf(from: string, request: string): Target {
  if (isBuiltin(request)) {
    const name = request.replace(/^node:/, '');
    if (name === 'process' || name === 'timers' || name === 'timers/promises') return { kind: name };
    return { kind: 'shared', exports: createRequire(from)(request) as unknown };
  }
  const file = resolve(from, request);
  if (isShared(file)) return { kind: 'shared', exports: createRequire(from)(request) as unknown };
  return { kind: 'own', file };
}

function isShared(file: string): boolean {
  if (extname(file) === '.node') return true;
  if (isInPackage(file)) return SHARED_PACKAGES.has(packageOf(file));
  if (file.startsWith(STRATEGY_LIB))
    return SHARED_MODULES.includes(withoutExtension(file.slice(STRATEGY_LIB.length)).replaceAll(sep, '/'));
  return file.startsWith(LIBS); // the seam, the balances, the explorer: they are under a strategy, not part of it
}

const PACKAGES = `${sep}node_modules${sep}`;
const isInPackage = (file: string): boolean => file.includes(PACKAGES);

function packageOf(file: string): string {
  const [scope = '', name = ''] = file.slice(file.lastIndexOf(PACKAGES) + PACKAGES.length).split(sep);
  return scope.startsWith('@') ? `${scope}/${name}` : scope;
}

const withoutExtension = (file: string): string => file.slice(0, file.length - extname(file).length);

const ENDINGS = ['', '.ts', '.js', '.cjs', '.json', `${sep}index.ts`, `${sep}index.js`];

/** As Node resolves it; a relative path may also be a TypeScript source. */
function resolve(from: string, request: string): string {
  if (/^\.{1,2}(\/|$)/.test(request)) {
    const base = join(dirname(from), request);
    const candidates = [...ENDINGS.map((expiring) => base + expiring), base.replace(/\.js$/, '.ts')];
    const found = candidates.find((file) => existsSync(file) && statSync(file).isFile());
    if (found !== undefined) return found;
  }
  return createRequire(from).resolve(request);
}
