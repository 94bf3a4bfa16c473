import { cartStrategy, optionsSchema, type OptionName, type Options, type Strategy } from '#lab/strategy';
import type { OwnSubject } from '#lab/own';
import type { ScheduleViolationKind } from '#lab/verdict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Choice } from './choice';
import {
  type Explored,
  type Setup,
  BALANCES,
  findExplored,
  findMixed,
  isStrategy,
  systemsOf,
} from '../world';
import { readSchedule, scheduleText } from './schedule-text';
import { EXPLORE_OPTIONS, LEAST_LEASE_MS } from './schedule';

/** A reproducible schedule. */
export interface ScheduleToken {
  readonly setup: Setup;
  readonly choices: readonly Choice[];
  /** One letter for each choice: a hash of its step when the schedule was found. Empty: not recorded. */
  readonly checks: string;
  /** Kinds of violation that the schedule showed. */
  readonly kinds: readonly ScheduleViolationKind[];
  /** Hash of the strategy's code when the schedule was found. */
  readonly hash: string;
}

export class TokenSyntaxError extends Error {
  readonly code = 'EXPLORE.TOKEN';

  constructor(token: string, why: string) {
    super(
      `cannot read the token "${token.slice(0, 60)}": ${why}. Copy it whole from lab explore or docs/matrix.md`,
    );
    this.name = 'TokenSyntaxError';
  }
}

const VERSION = 'v1';
/** Between a use and its guard: a slash is not safe in a file name or a path of an address. */
const GUARD_SEPARATOR = '_';
const OPTION_LETTERS: Readonly<Record<OptionName, string>> = {
  leaseMs: 'l',
  waitMs: 'w',
  wait: 'n', // n0: poll, n1: notify
  retryMs: 'r',
  workMs: 'k',
  attempts: 'a',
  isolation: 'i', // i0: repeatable-read, i1: read-committed
};
/** The options that are words: a token has their numbers. */
const WORDS = {
  wait: ['poll', 'notify'],
  isolation: ['repeatable-read', 'read-committed'],
} as const satisfies { readonly [Name in OptionName]?: readonly Options[Name][] };
const KIND_LETTERS: Readonly<Record<ScheduleViolationKind, string>> = {
  oversold: 'O',
  'lost-update': 'U',
  overlap: 'H',
  'foreign-release': 'F',
  'foreign-renewal': 'P',
  stuck: 'S',
  undersold: 'N',
  unavailable: 'V',
  orphan: 'R',
  'torn-cart': 'T',
  'dead-lock': 'D',
  starved: 'W',
  late: 'G',
  'fail-open': 'J',
  'lost-acknowledged': 'A',
  duplicate: 'E',
  missing: 'M',
  'stale-write': 'L',
  'repeated-work': 'X',
  avalanche: 'C',
  'over-limit': 'Q',
  'blocked-forever': 'B',
  invariant: 'I',
};

const HASH_LENGTH = 6;

/** Hash of the own code of a strategy or guard: changes with `apply` or `applyAll`, or with its file if that is not ours. */
export const strategyHash = (strategy: Explored): string =>
  createHash('sha1')
    .update(
      (isStrategy(strategy) ? systemsOf(strategy) : [strategy]).map(codeOf).join('').replace(/\s+/g, ''),
    )
    .digest('hex')
    .slice(0, HASH_LENGTH);

const codeOf = (strategy: Explored): string =>
  strategy.setsTimers === true && strategy.module !== undefined
    ? readFileSync(strategy.module, 'utf8')
    : `${strategy.apply.toString()}${isStrategy(strategy) ? (strategy.applyAll?.toString() ?? '') : ''}`;

/** Hashes the description of a step to one letter. */
export const checkLetter = (what: string): string =>
  createHash('sha1').update(what).digest('base64url').charAt(0);

/**
 * `v1.strategy.options.stock.actors.schedule.checks.kinds.hash`, in letters, digits, `-`, `_` and dots. Actors are
 * written as the numbers of their processes and, if they have any, their carts: `12-io-oi`.
 */
export function writeToken({ setup, choices, checks, kinds, hash }: ScheduleToken): string {
  const { strategy, options, stock, processes, carts = [] } = setup;
  const known = [...new Set(processes)];
  return [
    VERSION,
    strategy.name.replace('/', GUARD_SEPARATOR),
    optionsText(options),
    stock,
    [processes.map((process) => known.indexOf(process) + 1).join(''), ...carts.map(cartLetters)].join('-'),
    scheduleText(choices),
    checks,
    kinds.map((kind) => KIND_LETTERS[kind]).join(''),
    hash,
  ].join('.');
}

/** Parses a token, of the catalogue or of `own`. Throws `TokenSyntaxError`, `UnknownStrategy`, `UnknownGuard` or `NoCarts`. */
export function readToken(token: string, own?: Strategy | OwnSubject): ScheduleToken {
  const parts = token.trim().split('.');
  const [
    version,
    name = '',
    options = '',
    stock = '',
    actors = '',
    schedule = '',
    checks = '',
    kinds = '',
    hash = '',
  ] = parts;
  if (version !== VERSION || parts.length !== 9)
    throw new TokenSyntaxError(token, `it must begin with ${VERSION}. and have nine parts`);
  if (!/^\d{1,4}$/.test(stock)) throw new TokenSyntaxError(token, 'its stock cannot be read');
  const strategy =
    own?.name === name ? own : (findMixed(name) ?? findExplored(name.replace(GUARD_SEPARATOR, '/')));
  return {
    setup: {
      strategy,
      options: readOptions(token, options),
      stock: Number(stock),
      ...readActors(token, strategy, actors),
    },
    choices: choicesOf(token, schedule),
    checks,
    kinds: Array.from(kinds, (letter) => kindOf(token, letter)),
    hash: readHash(token, hash),
  };
}

/** A token that was cut has a part of the hash, which would be read as that of other code. */
function readHash(token: string, hash: string): string {
  if (hash === '' || hash.length === HASH_LENGTH) return hash;
  throw new TokenSyntaxError(token, `its last part must have ${HASH_LENGTH} characters, not ${hash.length}`);
}

const cartLetters = (cart: readonly string[]): string => cart.map((balance) => balance.charAt(0)).join('');

function readActors(token: string, strategy: Explored, text: string): Pick<Setup, 'processes' | 'carts'> {
  const [digits = '', ...letters] = text.split('-');
  const processes = Array.from(digits, (digit) => `p${digit}`);
  if (letters.length > 0 && !isStrategy(strategy))
    throw new TokenSyntaxError(token, 'only a strategy has carts');
  if (letters.some((cart) => cart.length > 1) && isStrategy(strategy)) cartStrategy(strategy);
  const carts = letters.map((cart) =>
    Array.from(cart, (letter) => BALANCES.find((balance) => balance.startsWith(letter)) ?? ''),
  );
  const areCarts = carts.every((cart) => cart.length > 0 && new Set(cart).size === cart.length);
  if (!/^[1-3]{1,3}$/.test(digits) || !areCarts || carts.flat().includes(''))
    throw new TokenSyntaxError(token, 'its processes or carts cannot be read');
  if (carts.length === 0) return { processes };
  if (carts.length !== processes.length) throw new TokenSyntaxError(token, 'it needs a cart for each buyer');
  return { processes, carts };
}

function choicesOf(token: string, text: string): Choice[] {
  const choices = readSchedule(text);
  if (choices === undefined)
    throw new TokenSyntaxError(token, `its schedule "${text.slice(0, 20)}" cannot be read`);
  return choices;
}

const optionsText = (options: Options): string =>
  (Object.keys(OPTION_LETTERS) as OptionName[])
    .filter((name) => options[name] !== EXPLORE_OPTIONS[name])
    .map((name) => `${OPTION_LETTERS[name]}${optionNumber(name, options[name])}`)
    .join('');

const wordsOf = (name: string | undefined): readonly string[] | undefined =>
  name === 'wait' || name === 'isolation' ? WORDS[name] : undefined;

const optionNumber = (name: OptionName, value: string | number): string | number =>
  wordsOf(name)?.indexOf(String(value)) ?? value;

function readOptions(token: string, text: string): Options {
  if (!/^(?:[lwnrkai]\d{1,6})*$/.test(text)) throw new TokenSyntaxError(token, 'its options cannot be read');
  const given = Object.fromEntries(
    [...text.matchAll(/([lwnrkai])(\d+)/g)].map(([, letter, value]) => {
      const name = Object.entries(OPTION_LETTERS).find(([, known]) => known === letter)?.[0] ?? '';
      const words = wordsOf(name);
      return [name, words === undefined ? Number(value) : (words[Number(value)] ?? null)];
    }),
  );
  const read = optionsSchema.safeParse({ ...EXPLORE_OPTIONS, ...given });
  if (!read.success || read.data.leaseMs < LEAST_LEASE_MS)
    throw new TokenSyntaxError(token, `its options are out of range (leaseMs at least ${LEAST_LEASE_MS})`);
  return read.data;
}

function kindOf(token: string, letter: string): ScheduleViolationKind {
  const found = Object.entries(KIND_LETTERS).find(([, known]) => known === letter);
  if (found === undefined) throw new TokenSyntaxError(token, `there is no kind of violation "${letter}"`);
  return found[0] as ScheduleViolationKind;
}
