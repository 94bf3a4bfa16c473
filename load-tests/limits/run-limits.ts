import type { DecisionLine } from '#lab/step';
import type { Stack } from '#lab/stack';
import { judgeLimit, type LimitVerdict } from '#lab/verdict';
import { Redis } from 'ioredis';
import { join } from 'node:path';
import { Target, TargetError, untilProved } from '#load-tests/run';
import { countCommands } from './command-counter';
import { DecisionClient } from './decision-client';
import { playEdge, playKill, playRedisDown, type Played, type Stage } from './plays';
import type { LimitRow } from './rows';
import { sustain, type SteadyLoad } from './sustained';

/** The result of one row. */
export interface LimitRun {
  readonly row: LimitRow;
  readonly verdict: LimitVerdict;
  /** Of the steady load: commands that clients sent to Redis, and commands that Redis executed, per decision. */
  readonly commands?: { readonly sent: number; readonly executed: number };
  readonly decisionsPerSecond?: number;
  /** The slowest answer of the play, milliseconds. */
  readonly slowestMs: number;
}

const PLAYS: Readonly<Record<LimitRow['circumstance'], (stage: Stage) => Promise<Played>>> = {
  edge: playEdge,
  killed: playKill,
  'redis-down-open': playRedisDown,
  'redis-down-closed': playRedisDown,
};

/** The file of the replicas: the inventory app, in which requests can also choose the npm packages. */
export const inventoryWithPeers = (): string => join(__dirname, 'inventory-with-peers.js');

/** Runs limiters on a stack of two inventory replicas that were started from `inventoryWithPeers`. */
export class LimitRunner {
  private readonly redis: Redis;
  private readonly target: Target;
  private runs = 0;

  constructor(private readonly stack: Stack) {
    const { public: url, lab } = stack.urls;
    if (lab === undefined) throw new TargetError('the decisions are recorded only when the lab is enabled');
    this.target = new Target(url, lab);
    this.redis = new Redis(stack.urls.redis);
    this.redis.on('error', () => undefined); // it is killed on purpose
  }

  /** Runs one row, again while it proves nothing; with `steady` also under a steady load, for the figures. */
  run(
    row: LimitRow,
    steady: SteadyLoad | undefined,
    onUnknown: (because: string) => void,
  ): Promise<LimitRun> {
    return untilProved(() => this.once(row, steady), onUnknown);
  }

  async close(): Promise<void> {
    this.redis.disconnect();
    await this.target.close();
  }

  private async once(row: LimitRow, steady: SteadyLoad | undefined): Promise<LimitRun> {
    const { limiter, limit, circumstance } = row;
    const name = `run${++this.runs}`;
    const sender = new DecisionClient(row);
    try {
      const stage = { row, stack: this.stack, redis: this.redis, sender, client: `${name}-a` };
      const { unproved, answers } = await PLAYS[circumstance](stage);
      const load = circumstance === 'edge' ? steady : undefined;
      const peers = load === undefined ? [] : [1, 2, 3, 4].map((n) => `${name}-load-${n}`);
      const counts =
        load === undefined
          ? undefined
          : await countCommands(this.redis, `${name}-load`, () =>
              sustain(this.stack.urls.public, row, peers, load),
            );
      const clients = [stage.client, ...peers];
      const decisions = await this.decisionsOf(clients);
      const evidence = {
        limiter: limiter.name,
        limit,
        promise: limiter.promise(limit),
        decisions,
        peers,
        endlessKeys: await this.endlessKeys(row, clients),
        unproved,
      };
      const sustained = decisions.filter(({ client }) => peers.includes(client));
      const verdict = judgeLimit(evidence, limiter.expected[circumstance] ?? { must: [], may: [] });
      return {
        row,
        verdict,
        slowestMs: Math.max(...answers.map(({ tookMs }) => tookMs)),
        ...(counts !== undefined && {
          commands: {
            sent: counts.sent / sustained.length,
            executed: counts.executed / sustained.length,
          },
          decisionsPerSecond: perSecond(sustained),
        }),
      };
    } finally {
      await sender.close();
    }
  }

  private async decisionsOf(clients: readonly string[]): Promise<DecisionLine[]> {
    return (await Promise.all(clients.map((client) => this.target.decisions(client)))).flat();
  }

  private async endlessKeys(
    { limiter, limit }: LimitRow,
    clients: readonly string[],
  ): Promise<{ client: string; key: string }[]> {
    const keys = clients.flatMap((client) => limiter.keys(client, limit).map((key) => ({ client, key })));
    const ttls = await Promise.all(keys.map(({ key }) => this.redis.pttl(key)));
    return keys.filter((_, i) => ttls[i] === WITHOUT_EXPIRY);
  }
}

/** PTTL of a key that never expires. */
const WITHOUT_EXPIRY = -1;

function perSecond(decisions: readonly DecisionLine[]): number {
  const times = decisions.map(({ t }) => t / 1e6);
  return decisions.length / (times.reduce((a, b) => Math.max(a, b)) - times.reduce((a, b) => Math.min(a, b)));
}
