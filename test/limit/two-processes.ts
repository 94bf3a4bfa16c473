import {
  findLimiter,
  limitOf,
  ProcessMemory,
  type Decision,
  type Limit,
  type LimiterTools,
} from '#lab/limit';
import { observe, SteppedRedis, systemClock, type Listener, type Step } from '#lab/step';
import { loadScripts } from '#lab/strategy';
import { randomUUID } from 'node:crypto';
import { ANSWER_MS } from '../harness/limits';
import { servers } from '../harness/servers';

const REDIS_DB = 13; // clients have unique names: the files of this folder share it
const pass: Listener = (_step, issue) => issue();

/** What a decision of a spec meets. */
interface Circumstances {
  /** 0 or 1: the process that decides. */
  readonly on?: number;
  /** The time of the decision, milliseconds; absent: the clock of Redis. */
  readonly at?: number;
  readonly listener?: Listener;
}

/** One client of a limiter, and two processes that decide about it: each has a connection and a memory of its own. */
export class LimitedClient {
  readonly client = `spec-${randomUUID()}`;
  readonly limit: Limit;
  private readonly limiter;

  private constructor(
    limiter: string,
    limit: { max: number; windowMs: number; burst?: number },
    private readonly processes: readonly { redis: SteppedRedis; memory: ProcessMemory }[],
  ) {
    this.limiter = findLimiter(limiter);
    this.limit = limitOf(this.limiter, limit);
  }

  static async open(
    limiter: string,
    limit: { max: number; windowMs: number; burst?: number },
  ): Promise<LimitedClient> {
    const processes = await Promise.all(
      [0, 1].map(async () => {
        const redis = new SteppedRedis({ url: `${servers().redis}/${REDIS_DB}`, timeoutMs: ANSWER_MS });
        await redis.connect();
        await loadScripts(redis);
        return { redis, memory: new ProcessMemory() };
      }),
    );
    return new LimitedClient(limiter, limit, processes);
  }

  get promise(): number {
    return this.limiter.promise(this.limit);
  }

  /** The first key of the client. */
  get key(): string {
    return this.limiter.keys(this.client, this.limit)[0] ?? '';
  }

  get redis(): SteppedRedis {
    return this.process(0).redis;
  }

  decide({ on = 0, at, listener = pass }: Circumstances = {}): Promise<Decision> {
    const { redis, memory } = this.process(on);
    const clock =
      at === undefined
        ? systemClock
        : { ...systemClock, serverTime: () => at, sleep: () => Promise.resolve() };
    const tools: LimiterTools = { redis, clock, process: memory };
    return observe({ actor: 'A', listener }, () => this.limiter.decide(this.client, this.limit, tools));
  }

  /** So many decisions at once, on the two processes in turn. */
  async decideMany(count: number, circumstances: Omit<Circumstances, 'on'> = {}): Promise<Decision[]> {
    return Promise.all(Array.from({ length: count }, (_, i) => this.decide({ ...circumstances, on: i % 2 })));
  }

  close(): void {
    for (const { redis } of this.processes) redis.disconnect();
  }

  private process(i: number): { redis: SteppedRedis; memory: ProcessMemory } {
    const found = this.processes[i];
    if (found === undefined) throw new Error('there are two processes');
    return found;
  }
}

export const admittedOf = (decisions: readonly Decision[]): number =>
  decisions.filter(({ admitted }) => admitted).length;

/** A listener that records the steps of a decision. */
export function recording(): { steps: Step[]; listener: Listener } {
  const steps: Step[] = [];
  const listener: Listener = (step, issue) => {
    steps.push(step);
    return issue();
  };
  return { steps, listener };
}
