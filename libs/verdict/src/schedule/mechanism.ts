import type { FinalState, ScheduleHistory, StepEvent } from './history';
import { findHoldIntervals, lossOf } from './holders';
import { writesStock } from '../statements';
import type { ScheduleViolation } from './violation';

type Sale = FinalState['movements'][number];

/**
 * Explains in one sentence how a schedule failed: why the actors were not serialized, and which value was read too early.
 * Without two colliding sales it is the sentence of the worst violation. Undefined: no violation.
 */
export function mechanismOf(
  history: ScheduleHistory,
  violations: readonly ScheduleViolation[],
): string | undefined {
  const [worst] = violations;
  if (worst === undefined) return undefined;
  const pair = collision(history);
  if (pair === undefined) return worst.sentence;
  const [early, late] = pair;
  const read = readOf(history, late);
  const written = commitOf(history, early.request);
  if (read === undefined || written === undefined) return worst.sentence;
  const isStale = read.n > written.n;
  return (
    `${causeOf(history, early.request, late.request, read)}; ${late.request} read ${late.before} (step ${read.n}) ` +
    `${isStale ? 'after' : 'before'} ${early.request} committed ${early.after} (step ${written.n})`
  );
}

/** Two sales that started from the same value, in the order of their commits. */
function collision(history: ScheduleHistory): readonly [Sale, Sale] | undefined {
  const { movements } = history.final;
  for (const sale of movements)
    for (const other of movements) {
      const isPair =
        sale.balance === other.balance &&
        sale.segment === other.segment &&
        sale.before === other.before &&
        sale.request !== other.request;
      if (!isPair) continue;
      const [a, b] = [sale, other].map(({ request }) => commitOf(history, request)?.n ?? 0);
      if ((a ?? 0) <= (b ?? 0)) return [sale, other];
    }
  return undefined;
}

const stepsOf = ({ events }: ScheduleHistory, actor: string): StepEvent[] =>
  events.filter((event): event is StepEvent => event.type === 'step' && event.actor === actor);

const writeOf = (history: ScheduleHistory, actor: string): StepEvent | undefined =>
  stepsOf(history, actor).findLast(writesStock);

/** The step that committed an actor's write: its COMMIT, or the write itself outside a transaction. */
function commitOf(history: ScheduleHistory, actor: string): StepEvent | undefined {
  const write = writeOf(history, actor);
  return stepsOf(history, actor).find(({ n, verb }) => verb === 'COMMIT' && n > (write?.n ?? 0)) ?? write;
}

/** The step that read the value from which the sale started. */
function readOf(history: ScheduleHistory, { request, before }: Sale): StepEvent | undefined {
  const write = writeOf(history, request);
  return stepsOf(history, request).findLast(
    ({ n, verb, reply }) =>
      n < (write?.n ?? Infinity) &&
      verb === 'SELECT' &&
      JSON.stringify(reply ?? null).includes(`"amount":${before}`),
  );
}

/** Why the actor could read a stale value. */
function causeOf(history: ScheduleHistory, early: string, late: string, read: StepEvent): string {
  const holdIntervals = findHoldIntervals(history).filter(({ actor }) => actor === early || actor === late);
  for (const first of holdIntervals)
    for (const second of holdIntervals) {
      if (first.actor === second.actor || first.key !== second.key || second.from <= first.from) continue;
      const release = ownRelease(history, first.actor, second.from);
      const lost = release === undefined ? lossOf(history.events, first, second.from) : '';
      const commit = commitOf(history, first.actor);
      if (release !== undefined && commit !== undefined && release.n < commit.n)
        return `${first.actor} released its lock (step ${release.n}) before its COMMIT (step ${commit.n})`;
      if (lost !== '')
        return `${lost.replace(/, $/, '')} while ${first.actor} was at work, and ${second.actor} took the lock (step ${second.from})`;
      if (read.n < second.from) return `${late} read before it had the lock (step ${second.from})`;
      return `${late} read under its lock, but from the snapshot that its transaction took earlier`;
    }
  if (holdIntervals.length === 0) return withoutLocks(history, early, late, read);
  return holdIntervals.length === 1
    ? 'only one of them had the lock'
    : 'the locks did not exclude each other';
}

const ownRelease = (
  { events }: ScheduleHistory,
  actor: string,
  until: number,
): { readonly n: number } | undefined =>
  events.find(
    ({ n, locks }) =>
      n < until &&
      locks?.some(({ change, by, owner }) => change === 'released' && by === actor && owner === actor) ===
        true,
  );

/** A lock of which no owner is known, such as an entry of a sorted set, ended or was lost before the actor wrote. */
function endOfLock(history: ScheduleHistory, actor: string): string | undefined {
  const write = writeOf(history, actor);
  const [ended] = history.events.flatMap(({ n, locks = [] }) =>
    locks
      .filter(({ change, owner }) => (change === 'expired' || change === 'flushed') && owner === undefined)
      .map(({ key }) => ({ key, n })),
  );
  if (ended === undefined || ended.n >= (write?.n ?? 0)) return undefined;
  return `the lock ${ended.key} ended at step ${ended.n}; no owner of it is known`;
}

function withoutLocks(history: ScheduleHistory, early: string, late: string, read: StepEvent): string {
  const processOf = (name: string): string | undefined =>
    history.actors.find((actor) => actor.name === name)?.process;
  const mutex = stepsOf(history, late).find(({ kind, verb }) => kind === 'local' && verb === 'LOCK');
  if (mutex !== undefined && processOf(early) !== processOf(late))
    return `the mutex of process ${processOf(early) ?? ''} does not exist in process ${processOf(late) ?? ''}`;
  const rowLock = stepsOf(history, late).find(({ text }) => text.includes(' FOR UPDATE'));
  if (rowLock === undefined) return endOfLock(history, late) ?? `nothing kept ${early} and ${late} apart`;
  return read.n < rowLock.n
    ? `${late} read before it locked the row (step ${rowLock.n})`
    : `${late} read after it had locked the row, but from the snapshot that its transaction took earlier`;
}
