import type { ScheduleHistory, ScheduleViolation, ScheduleViolationKind } from '#lab/verdict';
import type { Choice } from './choice';
import { ROOT, execute, type Execution, type Plan, type Task } from './execution';
import type { World } from './world';

/** A schedule that shows a violation. */
export interface Witness {
  readonly choices: readonly Choice[];
  readonly violations: readonly ScheduleViolation[];
}

/** What an exploration found. */
export interface Tally {
  /** Schedules that were run to their end. */
  schedules: number;
  /** Begun and left: everything that could follow had been explored in another order. */
  redundant: number;
  /** Schedules in which the data came out wrong, or a lock was lost: with any violation at all. */
  violating: number;
  /** Schedules by kind of violation; one schedule may show several. */
  readonly kinds: Map<ScheduleViolationKind, number>;
  /** The shortest one of each kind, not shrunk yet. */
  readonly witnesses: Map<ScheduleViolationKind, Witness>;
  /** Schedules in which a fault of the plan happened, by fault. */
  readonly fired: Map<string, number>;
  /** Schedules in which steps of two actors alternated. */
  contended: number;
  /** How the others were kept out: schedules with a wait, a refusal, an abort. */
  readonly prevented: { waits: number; rejects: number; aborts: number };
  /** True when schedules are left that were not run. */
  partial: boolean;
}

export const emptyTally = (): Tally => ({
  schedules: 0,
  redundant: 0,
  violating: 0,
  kinds: new Map(),
  witnesses: new Map(),
  fired: new Map(),
  contended: 0,
  prevented: { waits: 0, rejects: 0, aborts: 0 },
  partial: false,
});

export interface Limits {
  /** Schedules at most. */
  readonly max?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (tally: Tally) => void;
}

/** Runs every schedule of a plan, depth first, on one world. */
export async function explore(
  world: World,
  plan: Plan,
  { max = Infinity, signal, onProgress }: Limits = {},
): Promise<Tally> {
  const tally = emptyTally();
  const stack: Task[] = [ROOT];
  for (let task = stack.pop(); task !== undefined; task = stack.pop()) {
    if (signal?.aborted === true || tally.schedules >= max) {
      tally.partial = true;
      break;
    }
    const execution = await execute(world, plan, task);
    for (const branch of [...execution.branches].reverse()) stack.push(branch);
    count(tally, execution);
    onProgress?.(tally);
  }
  return tally;
}

/** Adds one schedule. */
export function count(tally: Tally, { choices, result }: Execution): void {
  if (result === undefined) {
    tally.redundant++;
    return;
  }
  const { history, verdict } = result;
  tally.schedules++;
  if (verdict.violations.length > 0) tally.violating++;
  for (const kind of new Set(verdict.violations.map((violation) => violation.kind))) {
    tally.kinds.set(kind, (tally.kinds.get(kind) ?? 0) + 1);
    const known = tally.witnesses.get(kind);
    if (known === undefined || choices.length < known.choices.length)
      tally.witnesses.set(kind, { choices, violations: verdict.violations });
  }
  for (const fault of firedIn(history)) tally.fired.set(fault, (tally.fired.get(fault) ?? 0) + 1);
  if (isContended(history)) tally.contended++;
  countPrevented(tally, history);
}

function firedIn({ events }: ScheduleHistory): Set<string> {
  return new Set(
    events.flatMap((event) => {
      if (event.type === 'fault') return event.effective || event.fault === 'lapse' ? [event.fault] : [];
      return event.type === 'step' && (event.fault === 'error' || event.fault === 'lose-reply')
        ? [event.fault]
        : [];
    }),
  );
}

/** Two actors were inside at the same time: between somebody's first and last step another one made a step. */
function isContended({ events }: ScheduleHistory): boolean {
  const line = events.flatMap((event) => (event.type === 'step' ? [event.actor] : []));
  const runs = line.filter((actor, i) => actor !== line[i - 1]);
  return runs.length > new Set(runs).size;
}

function countPrevented(tally: Tally, { events }: ScheduleHistory): void {
  const has = (test: (event: ScheduleHistory['events'][number]) => boolean): number =>
    events.some(test) ? 1 : 0;
  tally.prevented.waits += has((e) => e.type === 'step' && (e.answeredAt !== undefined || e.verb === 'WAIT'));
  tally.prevented.rejects += has(
    (e) => e.type === 'end' && /SOLD_OUT|NOT_OBTAINED|CONFLICT|FENCED/.test(e.code),
  );
  tally.prevented.aborts += has((e) => e.type === 'end' && /LOST|DEADLOCK|TIMEOUT/.test(e.code));
}
