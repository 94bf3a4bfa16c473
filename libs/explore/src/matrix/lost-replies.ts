import type { Options, Strategy } from '#lab/strategy';
import type { LockChange } from '#lab/verdict';
import { tick } from '../faults';
import { before, Schedule } from '../schedule';
import type { HeldStep } from '../actors';
import type { World } from '../world';

/** What came of one reply that was lost: the server had done what it was asked, and A did not hear of it. */
export interface LostReply {
  readonly strategy: string;
  /** What A had asked for. */
  readonly asked: 'acquire' | 'renew' | 'release';
  /** The command, or the script. */
  readonly command: string;
  /** What A was told in the end: `APPLIED`, or the code of its error. */
  readonly believes: string;
  /** What is true at that moment. */
  readonly truth:
    'the lock is free' | 'the lock is held, until its lease ends' | 'the lock is held, for ever';
  /** What B, who comes then and waits for longer than a lease, is told. */
  readonly next: string;
  readonly violations: readonly string[];
}

/** A step at a server that keeps locks, other than the database. */
const KEEPS_LOCKS = ['redis', 'zk', 'etcd'];
const READS = ['GET', 'PTTL'];
/** Within a lease. */
const MOST_TICKS = 2;

type Asked = LostReply['asked'];

/** There must be work during which a timer can renew. */
const OPTIONS: Record<Asked, Partial<Options>> = { acquire: {}, renew: { workMs: 10_000 }, release: {} };

/** Brings A to where the step would be sent; false when there is none. */
type Approach = (schedule: Schedule) => Promise<boolean>;

/** The steps of a lone request that take its lock and give it back, by number; 0 where there is none. */
async function lockSteps(world: World, strategy: Strategy): Promise<Record<Exclude<Asked, 'renew'>, number>> {
  const schedule = await Schedule.begin(world, strategy, { stock: 2, processes: ['p1'] });
  const { history } = await schedule.end();
  const steps = history.events.filter((event) => event.type === 'step');
  const numberOf = (wanted: LockChange['change']): number =>
    steps.findIndex(
      ({ kind, locks = [] }) => KEEPS_LOCKS.includes(kind) && locks.some(({ change }) => change === wanted),
    ) + 1;
  return { acquire: numberOf('taken'), release: numberOf('released') };
}

const stepTo =
  (number: number): Approach =>
  async ({ A }) => {
    for (let n = 1; n < number; n++) await A.step();
    return number > 0;
  };

/** At work, where its timer renews for the first time. */
const toRenewal: Approach = async (schedule) => {
  const { A, run } = schedule;
  if (!(await A.runTowards(before('WORK')))) return false;
  for (let ticks = 0; ticks < MOST_TICKS && (await tick(run)); ticks++)
    for (let held = renewal(schedule); held !== undefined; held = renewal(schedule)) {
      if (!READS.includes(held.step.verb)) return true; // who looks first may renew afterwards, or at the next tick
      await run.release(held);
    }
  return false;
};

const renewal = ({ A }: Schedule): HeldStep | undefined =>
  A.actor.held.find(({ task, step }) => task.isTimer && KEEPS_LOCKS.includes(step.kind));

/** Loses the reply to the acquire, in another schedule that to the first renewal, and in another that to the release. */
export async function loseReplies(world: World, strategy: Strategy): Promise<LostReply[]> {
  const { acquire, release } = await lockSteps(world, strategy);
  if (acquire === 0) return [];
  const approaches: Record<Asked, Approach> = {
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
  asked: Asked,
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
  const head = ['strategy', 'asked for', 'by', 'A is told', 'what is true', 'B is told', 'violations'];
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
    'Generated by `npx lab lost-replies --docs docs/lost-replies.md`; do not edit. Two units are left. The server of the lock',
    'does what A asked for, and the reply does not arrive. No command is sent again by itself. Then B comes, and waits for longer than',
    'a lease. Of a lock in several servers one reply is lost: the one with which A would have had it, or have given it back.',
    '',
    'A lost acquire is answered as `DEPENDENCY.DOWN` (503): nothing was sold, and A does not wait for its own lock. But the lock',
    'may be there: for a lease, or for ever where there is none. A renewal that was lost is a missed one: the next comes in time, and',
    'A knows its lease as shorter than it is. A lost release never undoes a sale.',
    '',
    ...[head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`),
    '',
  ].join('\n');
}
