import { groupBy } from '../group-by';
import { runsStrategies } from './evidence';
import type { HistoryLine, StepLine } from '#lab/step';

/** `second` acquired the lock while `first` was still working under it. */
export interface Overlap {
  readonly key: string;
  readonly first: string;
  readonly second: string;
}

/** `by` deleted the lock that belonged to `owner`. */
export interface ForeignRelease {
  readonly key: string;
  readonly by: string;
  readonly owner: string;
}

/** `by` set the expiry of the lock that belonged to `owner`. */
export interface ForeignRenewal {
  readonly key: string;
  readonly by: string;
  readonly owner: string;
}

/** The time for which a request held a lock, in microseconds as in the history. */
export interface HoldInterval {
  readonly key: string;
  readonly request: string;
  readonly replica: string;
  readonly from: number;
  /** The attempt to release; null: there was none. */
  readonly until: number | null;
}

export interface HolderFindings {
  readonly overlaps: readonly Overlap[];
  readonly foreignReleases: readonly ForeignRelease[];
  readonly foreignRenewals: readonly ForeignRenewal[];
  readonly holdIntervals: readonly HoldInterval[];
  /** Keys that a request renewed after it had ended. */
  readonly renewedAfterEnd: ReadonlySet<string>;
  /** The number of steps on lock keys without a position in the server's order: their effect is unknown. */
  readonly undecided: number;
}

type LockStep = StepLine & { readonly key: string };
type Ordered = LockStep & { readonly order: number };

/**
 * Computes the hold intervals of all locks and their violations. Acquires and releases are in the server's order
 * (`order`), not in that of client clocks. A holder was still working when the next one acquired the lock if it has later
 * steps on the machine's monotonic clock.
 */
export function judgeHolders(history: readonly HistoryLine[]): HolderFindings {
  const steps = stepsOf(history);
  const onLocks = steps.filter(isOnLock);
  const ordered = onLocks.filter(hasOrder).sort(byOrder);
  const lastWork = lastWorkOf(steps, onLocks);
  const votes = votesOf(onLocks);
  const findings = [...groupBy(ordered, ({ key, server = '' }) => `${server} ${key}`).values()].map((own) =>
    judgeKey(own, lastWork, votes.won),
  );
  return {
    overlaps: distinct(findings.flatMap(({ overlaps }) => overlaps)),
    foreignReleases: findings.flatMap(({ foreignReleases }) => foreignReleases),
    foreignRenewals: findings.flatMap(({ foreignRenewals }) => foreignRenewals),
    holdIntervals: findings.flatMap(({ holdIntervals }) => holdIntervals),
    renewedAfterEnd: renewedAfterEndOf(history, onLocks),
    undecided: onLocks.filter((step) => step.order === undefined && !votes.outvoted.has(step)).length,
  };
}

/** The steps on lock keys of the primary, in the server's order. Voters have no common order. */
export const orderedLockSteps = (history: readonly HistoryLine[]): Ordered[] =>
  stepsOf(history)
    .filter(isOnLock)
    .filter(hasOrder)
    .filter(({ server = 'primary' }) => server === 'primary')
    .sort(byOrder);

/** A command on a lock of a server that orders its commands: Redis, ZooKeeper, etcd. */
const isOnLock = (line: StepLine): line is LockStep =>
  line.lock !== undefined &&
  line.key !== undefined &&
  (line.kind === 'redis' || (isQueue(line) && hasEffect(line)));

const isQueue = ({ kind }: StepLine): boolean => kind === 'zk' || kind === 'etcd';

/** False if the step was refused because its node exists or is gone, or because its session or lease had ended. */
const hasEffect = ({ reply, errorCode }: StepLine): boolean => reply !== false && errorCode !== 'LOCK.LOST';

const hasOrder = (line: LockStep): line is Ordered => line.order !== undefined;

/** A read has the number of the last change before it, so a release sorts before the read that finds the lock free. */
const byOrder = (a: Ordered, b: Ordered): number =>
  a.order - b.order || Number(released(b)) - Number(released(a));

/** A lock in several servers: which attempts won a majority, and which commands the majority did not need. */
interface Votes {
  /** False if the step belongs to an attempt that got no majority of the servers, or that got it too late. */
  readonly won: (step: LockStep) => boolean;
  /** Unanswered commands of attempts that a majority of the servers answered. */
  readonly outvoted: ReadonlySet<LockStep>;
}

/**
 * A lock in several servers is held by the request that has the majority. The commands of a request, at most one per
 * server, are one attempt or one release; a second command to the same server starts the next.
 */
function votesOf(onLocks: readonly LockStep[]): Votes {
  const lost = new Set<LockStep>();
  const outvoted = new Set<LockStep>();
  for (const [, steps] of groupBy(onLocks, ({ key }) => key)) {
    const servers = new Set(steps.map(({ server }) => server)).size;
    if (servers === 1) continue;
    for (const [, own] of groupBy(steps, ({ request, pid }) => `${pid} ${request}`)) {
      const rounds = roundsOf(own);
      for (const [i, round] of rounds.entries()) {
        const isMajority = round.filter(acquired).length > servers / 2;
        if (!isMajority || releasedNext(round, rounds[i + 1])) for (const step of round) lost.add(step);
        const silent = round.filter(({ order }) => order === undefined);
        if (silent.length < servers / 2) for (const step of silent) outvoted.add(step);
      }
    }
  }
  return { won: (step) => !lost.has(step), outvoted };
}

/** The next step of the request is a release: its client counted the attempt as failed, for example because it took too long. */
const releasedNext = (round: readonly LockStep[], [next]: readonly LockStep[] = []): boolean =>
  next !== undefined && isRelease(next) && next.n === (round.at(-1)?.n ?? 0) + 1;

function roundsOf(steps: readonly LockStep[]): LockStep[][] {
  const rounds: LockStep[][] = [];
  for (const step of steps.toSorted((a, b) => a.n - b.n)) {
    const round = rounds.at(-1);
    const isNew = round === undefined || round.some(({ server }) => server === step.server);
    if (isNew) rounds.push([step]);
    else round.push(step);
  }
  return rounds;
}

/** Removes duplicates: two holders that overlap on several servers are one overlap. */
const distinct = (overlaps: readonly Overlap[]): Overlap[] => [
  ...new Map(overlaps.map((one) => [`${one.key} ${one.first} ${one.second}`, one])).values(),
];

/** The steps without duplicates. A step recorded as pending when a fault fired may be recorded again with its answer. */
export function stepsOf(history: readonly HistoryLine[]): StepLine[] {
  const steps = history.filter((line): line is StepLine => line.type === 'step');
  const nameOf = ({ pid, request, n, t }: StepLine): string => `${pid} ${request} ${n} ${t}`;
  const answered = new Set(steps.filter(({ pending }) => pending !== true).map(nameOf));
  const pending = new Map(steps.filter((step) => step.pending === true).map((step) => [nameOf(step), step]));
  return steps.filter(
    (step) => step.pending !== true || (!answered.has(nameOf(step)) && pending.get(nameOf(step)) === step),
  );
}

export const acquired = ({ lock }: StepLine): boolean => lock?.role === 'acquire' && lock.done === true;

/** Another client held the lock. */
export const failedToAcquire = ({ lock }: StepLine): boolean =>
  lock?.role === 'acquire' && lock.done === false;

export const released = ({ lock }: StepLine): boolean => lock?.role === 'release' && lock.done === true;

const isRelease = ({ lock }: StepLine): boolean => lock?.role === 'release';

export const isRenewal = ({ lock }: StepLine): boolean => lock?.role === 'renew';

export const renewed = ({ lock }: StepLine): boolean => lock?.role === 'renew' && lock.done === true;

/** Judges one lock on one server. */
function judgeKey(
  steps: readonly Ordered[],
  lastWork: ReadonlyMap<string, number>,
  won: (step: LockStep) => boolean,
) {
  const overlaps: Overlap[] = [];
  const foreignReleases: ForeignRelease[] = [];
  const foreignRenewals: ForeignRenewal[] = [];
  const holdIntervals: HoldInterval[] = [];
  const inside = new Set<string>();
  let owner: string | undefined;
  const enter = (step: Ordered): void => {
    const { key, request, replica } = step;
    const acquiredAt = step.t + step.took;
    for (const first of inside)
      if (first !== request && (lastWork.get(first) ?? 0) > acquiredAt)
        overlaps.push({ key, first, second: request });
    inside.add(request);
    owner = request;
    holdIntervals.push({ key, request, replica, from: acquiredAt, until: lastTouch(steps, step) ?? null });
  };
  for (const step of steps) {
    const { key, request } = step;
    if (acquired(step) && !won(step)) owner = request;
    else if (acquired(step)) enter(step);
    else if (released(step)) {
      const leavesQueue = step.kind !== 'redis' && owner !== request; // it removes its own queue entry without having held the lock
      if (owner !== undefined && owner !== request && !leavesQueue)
        foreignReleases.push({ key, by: request, owner });
      if (!leavesQueue) owner = undefined;
      inside.delete(request);
      const nextHolder = step.lock?.nextHolder;
      const next = steps.find(
        ({ lock, text }) => nextHolder !== undefined && lock?.role === 'acquire' && text.includes(nextHolder),
      );
      if (next !== undefined) enter({ ...step, request: next.request, replica: next.replica });
    } else if (renewed(step) && owner !== undefined && owner !== request)
      foreignRenewals.push({ key, by: request, owner });
  }
  return { overlaps, foreignReleases, foreignRenewals, holdIntervals };
}

/** Keys renewed by a timer after its request ended. They exist until the process exits. */
function renewedAfterEndOf(
  history: readonly HistoryLine[],
  onLocks: readonly LockStep[],
): ReadonlySet<string> {
  const ended = new Map(
    history.flatMap((line) =>
      line.type === 'outcome' && runsStrategies(line) ? [[line.request, line.t] as const] : [],
    ),
  );
  return new Set(
    onLocks.flatMap((step) =>
      renewed(step) && step.t > (ended.get(step.request) ?? Infinity) ? [step.key] : [],
    ),
  );
}

/** The last step of the request on the key after its acquire, except renewals: its release. */
const lastTouch = (steps: readonly Ordered[], acquire: Ordered): number | undefined =>
  steps.findLast(
    (step) =>
      step.request === acquire.request &&
      step.order > acquire.order &&
      !isRenewal(step) &&
      !/^P?TTL$/.test(step.verb),
  )?.t;

/**
 * The time at which the last SQL statement of each request was answered, in processes that take locks (the order app
 * takes none). A statement that waits in the database counts until its answer.
 */
function lastWorkOf(steps: readonly StepLine[], onLocks: readonly LockStep[]): ReadonlyMap<string, number> {
  const lockers = new Set(onLocks.map(({ replica }) => replica));
  const last = new Map<string, number>();
  for (const { request, replica, kind, t, took } of steps) {
    if (kind === 'sql' && lockers.has(replica)) last.set(request, Math.max(t + took, last.get(request) ?? 0));
  }
  return last;
}
