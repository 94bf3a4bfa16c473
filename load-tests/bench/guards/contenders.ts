import { limitOf, LIMITERS, ProcessMemory, type Limiter } from '#lab/limit';
import { SteppedRedis, systemClock, type Clock, type Ticker } from '#lab/step';
import { loadScripts } from '#lab/strategy';
import { PEERS } from '#load-tests/limits';
import { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { asyncRatelimiter } from './exact-package';

/** Decides about one request of a client. */
export type Decide = (client: string) => Promise<{ readonly admitted: boolean }>;

/** What is measured; each measurement opens it again. */
export interface LimiterContender {
  readonly name: string;
  /** `ours`: a limiter of the catalogue. `bare`: ioredis sending the commands of `of`. `peer`: an npm package. */
  readonly kind: 'ours' | 'bare' | 'peer';
  readonly limiter: Limiter;
  open(url: string): Promise<{ decide: Decide; close: () => void }>;
}

/** The limit of each client. It is reached in every window, so that requests are admitted and refused. */
export const LIMIT = { max: 100, windowMs: 1000 };
/** No decision fails because the machine is slow. */
const TIMEOUT_MS = 10_000;

/** A clock whose tickers can be stopped together. */
function stoppableClock(): { clock: Clock; stop: () => void } {
  const tickers: Ticker[] = [];
  const every: Clock['every'] = (ms, tick) => {
    const ticker = systemClock.every(ms, tick);
    tickers.push(ticker);
    return ticker;
  };
  return {
    clock: { ...systemClock, every },
    stop: () => {
      for (const ticker of tickers) ticker.stop();
    },
  };
}

const limiting = (limiter: Limiter): LimiterContender => ({
  name: limiter.name,
  kind: limiter.peer === true ? 'peer' : 'ours',
  limiter,
  async open(url) {
    const redis = new Redis(url, { lazyConnect: true }); // the same for all: only limiters differ
    await redis.connect();
    await loadScripts(redis);
    const { clock, stop } = stoppableClock();
    const tools = { redis, clock, process: new ProcessMemory() };
    const limit = limitOf(limiter, LIMIT);
    return {
      decide: (client) => limiter.decide(client, limit, tools),
      close: () => {
        stop();
        redis.disconnect();
      },
    };
  },
});

const stepped = (url: string): SteppedRedis => new SteppedRedis({ url, timeoutMs: TIMEOUT_MS });

/** A command of a limiter, with the places of the client and of the unique id. */
type Template = readonly [name: string, ...args: string[]];
const SAMPLE = 'client-of-the-sample';
const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** ioredis alone: sends what the limiter sends when it admits a request, and reads the replies. */
const bare = (limiter: Limiter): LimiterContender => ({
  name: `ioredis: ${limiter.name}`,
  kind: 'bare',
  limiter,
  async open(url) {
    const templates = await commandsOf(limiter, url);
    const redis = new Redis(url, { lazyConnect: true });
    await redis.connect();
    return {
      async decide(client) {
        for (const [name, ...args] of templates)
          await redis.call(
            name,
            args.map((arg) => (UUID.test(arg) ? randomUUID() : arg.replace(SAMPLE, client))),
          );
        return { admitted: true };
      },
      close: () => {
        redis.disconnect();
      },
    };
  },
});

/** The commands of a limiter's second decision about a client: the first one opens its window. */
async function commandsOf(limiter: Limiter, url: string): Promise<Template[]> {
  const sent: Template[] = [];
  const redis = stepped(url);
  const { clock, stop } = stoppableClock();
  await redis.connect();
  await loadScripts(redis);
  const tools = { redis, clock, process: new ProcessMemory() };
  const limit = limitOf(limiter, LIMIT);
  await limiter.decide(SAMPLE, limit, tools);
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => {
    sent.push([command.name, ...command.args.map(String)]);
    return send(command, stream);
  };
  await limiter.decide(SAMPLE, limit, tools);
  stop();
  redis.disconnect();
  return sent;
}

const inRedis = (limiter: Limiter): boolean => limiter.keys(SAMPLE, limitOf(limiter, LIMIT)).length > 0;

/** What a limiter is compared with must have its promise: that of a fixed window, or of any window. */
const byPromise = (isFixed: boolean): LimiterContender[] =>
  [...LIMITERS, ...PEERS, asyncRatelimiter]
    .filter(({ fixedWindow = false }) => fixedWindow === isFixed)
    .flatMap((limiter) => [
      limiting(limiter),
      ...(limiter.peer !== true && inRedis(limiter) ? [bare(limiter)] : []),
    ]);

/** Each limiter next to the bare commands that it sends, and the npm packages; those with one promise after each other. */
export const LIMITER_CONTENDERS: readonly LimiterContender[] = [...byPromise(true), ...byPromise(false)];
