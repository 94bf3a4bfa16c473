import { SeededRandom } from '#lab/random';
import { currentScope } from '#lab/step';
import crypto from 'node:crypto';

type Bytes = NodeJS.ArrayBufferView;
type Callback<T> = (error: Error | null, value: T) => void;

const VALUES_OF_A_BYTE = 256;
/** Seed of code that runs for no actor: when a module is loaded. */
const OF_THE_MODULE = 0;

/**
 * The randomness of foreign code in one process: the same in every run of a schedule, and different for each actor, so that
 * a token names its actor. What an actor draws does not depend on what the others of its process have drawn.
 */
export class RealmRandom {
  readonly math: Math;
  /** `node:crypto`. Its other functions are those of Node. */
  readonly crypto: object;
  /** The global `crypto`. */
  readonly webCrypto: object;
  private readonly streams = new Map<number, SeededRandom>();

  constructor(private readonly pid: number) {
    this.math = Object.create(Math, { random: { value: () => this.stream().next() } }) as Math;
    const randomUUID = (): string => this.uuid();
    const getRandomValues = <T extends Bytes>(into: T): T => this.fill(into);
    this.webCrypto = { subtle: crypto.webcrypto.subtle, getRandomValues, randomUUID };
    this.crypto = cryptoWith({
      randomUUID,
      getRandomValues,
      webcrypto: this.webCrypto,
      randomBytes: (size: number, callback?: Callback<Buffer>) =>
        answer(this.fill(Buffer.alloc(size)), callback),
      randomInt: (...args: unknown[]) => {
        const callback = args.findLast((arg) => typeof arg === 'function') as Callback<number> | undefined;
        const [first = 0, second] = args.filter((arg) => typeof arg === 'number');
        const [least, limit] = second === undefined ? [0, first] : [first, second];
        return answer(least + this.stream().below(limit - least), callback);
      },
      randomFillSync: (into: Bytes, offset?: number, size?: number) => this.fill(into, offset, size),
      randomFill: (into: Bytes, ...args: unknown[]) => {
        const [offset, size] = args.filter((arg) => typeof arg === 'number');
        return answer(this.fill(into, offset, size), args.at(-1) as Callback<Bytes>);
      },
    });
  }

  private stream(): SeededRandom {
    const actor = currentScope()?.actor.charCodeAt(0) ?? OF_THE_MODULE;
    const known = this.streams.get(actor) ?? SeededRandom.forItem(this.pid, actor);
    this.streams.set(actor, known);
    return known;
  }

  private fill<T extends Bytes>(into: T, offset = 0, size = into.byteLength - offset): T {
    const bytes = new Uint8Array(into.buffer, into.byteOffset + offset, size);
    const random = this.stream();
    for (let i = 0; i < size; i++) bytes[i] = random.below(VALUES_OF_A_BYTE);
    return into;
  }

  /** Version 4, variant 1. */
  private uuid(): string {
    const hex = this.fill(Buffer.alloc(16)).toString('hex');
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      `a${hex.slice(17, 20)}`,
      hex.slice(20),
    ].join('-');
  }
}

const CRYPTO = Object.getOwnPropertyDescriptors(crypto);

/** A copy of `node:crypto` with other functions; its getters are not called. */
function cryptoWith(functions: Readonly<Record<string, unknown>>): object {
  const replaced = Object.entries(functions).map(
    ([name, value]) => [name, { value, enumerable: true, configurable: true, writable: true }] as const,
  );
  const all: PropertyDescriptorMap = { ...CRYPTO, ...Object.fromEntries(replaced) };
  return Object.defineProperties({}, all);
}

/** Returns the value, or passes it to a callback in this turn of the event loop: no thread of Node computes it. */
function answer<T>(value: T, callback: Callback<T> | undefined): T | undefined {
  if (callback === undefined) return value;
  queueMicrotask(() => {
    callback(null, value);
  });
  return undefined;
}
