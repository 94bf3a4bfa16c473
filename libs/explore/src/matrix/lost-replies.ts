import type { Options, Strategy } from '#lab/strategy';
import type { LockChange } from '#lab/verdict';
import { tick } from '../faults';
import { LOCK_SERVER_KINDS } from '../execution';
import { before, Schedule } from '../schedule';
import type { HeldStep } from '../actors';
import type { World } from '../world';

/** Result of one lost reply: the server executed A's command, and A did not receive the reply. */
export interface LostReply {
  readonly strategy: string;
  /** A's request. */
  readonly asked: 'acquire' | 'renew' | 'release';
  /** Name of the command or script. */
  readonly command: string;
  /** A's final result: `APPLIED`, or an error code. */
  readonly believes: string;
  /** State of the lock at that time. */
  readonly truth:
    'the lock is free' | 'the lock is held, until its lease ends' | 'the lock is held, for ever';
  /** Result of B, which starts then and waits longer than a lease. */
  readonly next: string;
  readonly violations: readonly string[];
}

const READS = ['GET', 'PTTL'];
/** Timer ticks within a lease. */
const MAX_TICKS = 2;

type RequestKind = LostReply['asked'];

/** A renewal needs work that takes long enough. */
const OPTIONS: Record<RequestKind, Partial<Options>> = {
  acquire: {},
  renew: { workMs: 10_000 },
  release: {},
};

/** Runs A up to the step whose reply is lost; false when there is none. */
type Approach = (schedule: Schedule) => Promise<boolean>;

/** Numbers of the steps of a single request that acquire and release its lock; 0: none. */
async function lockSteps(
  world: World,
  strategy: Strategy,
): Promise<Record<Exclude<RequestKind, 'renew'>, number>> {
  const schedule = await Schedule.begin(world, strategy, { stock: 2, processes: ['p1'] });
  const { history } = await schedule.end();
  const steps = history.events.filter((event) => event.type === 'step');
  const numberOf = (wanted: LockChange['change']): number =>
    steps.findIndex(
      ({ kind, locks = [] }) => LOCK_SERVER_KINDS.has(kind) && locks.some(({ change }) => change === wanted),
    ) + 1;
  return { acquire: numberOf('taken'), release: numberOf('released') };
}

const stepTo =
  (number: number): Approach =>
  async ({ A }) => {
    for (let n = 1; n < number; n++) await A.step();
    return number > 0;
  };

/** Runs A to its work, then to the first renewal of its timer. */
const toRenewal: Approach = async (schedule) => {
  const { A, run } = schedule;
  if (!(await A.runTowards(before('WORK')))) return false;
  for (let ticks = 0; ticks < MAX_TICKS && (await tick(run)); ticks++)
    for (let held = renewal(schedule); held !== undefined; held = renewal(schedule)) {
      // a strategy that reads first may renew afterwards, or at the next tick
      if (!READS.includes(held.step.verb)) return true;
      await run.release(held);
    }
  return false;
};

const renewal = ({ A }: Schedule): HeldStep | undefined =>
  A.actor.held.find(({ task, step }) => task.isTimer && LOCK_SERVER_KINDS.has(step.kind));

/** Loses the reply to the acquire, to the first renewal and to the release, each in a schedule of its own. */
export async function loseReplies(world: World, strategy: Strategy): Promise<LostReply[]> {
  const { acquire, release } = await lockSteps(world, strategy);
  if (acquire === 0) return [];
  const approaches: Record<RequestKind, Approach> = {
    acquire: stepTo(acquire),
    renew: toRenewal,
    release: stepTo(release),
  };
  const found: LostReply[] = [];
  for (const asked of ['acquire', 'renew', 'release'] as const) {
    const schedule = await Schedule.begin(world, strategy, { stock: 2, options: OPTIONS[asked] });
    const reply = (await approaches[asked](schedule)) ? await loseOne(schedule, asked) : undefined;
    const { verdict } = await schedule.end();
    if (reply !== undefined)
      found.push({
        strategy: strategy.name,
        asked,
        ...reply,
        next: schedule.B.outcome ?? 'nothing',
        violations: [...new Set(verdict.violations.map(({ kind }) => kind))],
      });
  }
  return found;
}

async function loseOne(
  schedule: Schedule,
  asked: RequestKind,
): Promise<Pick<LostReply, 'command' | 'believes' | 'truth'>> {
  const { A, B, run } = schedule;
  const lost = asked === 'renew' ? renewal(schedule) : A.actor.held[0];
  const { script, verb = '' } = lost?.step ?? {};
  if (lost !== undefined) await run.release(lost, 'lose-reply');
  await A.finish();
  const [lock] = run.locks.states();
  await B.finish();
  return {
    command: script ?? verb,
    believes: A.outcome ?? 'nothing',
    truth:
      lock === undefined
        ? 'the lock is free'
        : lock.expiresAt === undefined
          ? 'the lock is held, for ever'
          : 'the lock is held, until its lease ends',
  };
}

/** docs/lost-replies.md. */
export function renderLostReplies(rows: readonly LostReply[]): string {
  const head = ['strategy', 'request', 'command', 'result of A', 'lock', 'result of B', 'violations'];
  const lines = rows.map(({ strategy, asked, command, believes, truth, next, violations }) => [
    `\`${strategy}\``,
    asked,
    `\`${command}\``,
    believes,
    truth,
    next,
    violations.join(', '),
  ]);
  return [
    '# When the reply of a lock is lost',
    '',
    'Generated by `npx lab lost-replies --docs docs/lost-replies.md`; do not edit. Two units are in stock. The lock server executes',
    'the command of A, and the reply is lost. The client does not resend commands. Then B starts, and waits longer than a lease.',
    'For a lock on several servers one reply is lost: the one that would have completed the acquire or the release.',
    '',
    'A lost reply to an acquire becomes `DEPENDENCY.DOWN` (503): nothing was sold, and A does not wait for its own lock. The lock',
    'may exist, for a lease or, without an expiry, for ever. Two kinds of lock go on: ZooKeeper is asked for the node, and Redlock',
    'counts the vote as missing. A lost reply to a renewal counts as a missed renewal: the next one is in time, and A assumes a',
    'shorter lease than it has. A lost reply to a release never undoes a sale.',
    '',
    ...[head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`),
    '',
  ].join('\n');
}
