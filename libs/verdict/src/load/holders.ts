import { groupBy } from '../group-by';
import { runsStrategies } from './evidence';
import type { HistoryLine, StepKind, StepLine } from '#lab/step';

/** `second` took the lock while `first` was still at work under it. */
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

/** A request that held a lock. Times as in the history: microseconds. */
export interface HoldInterval {
  readonly key: string;
  readonly request: string;
  readonly replica: string;
  readonly from: number;
  /** Until it tried to release; null when it never did. */
  readonly until: number | null;
}

export interface HolderFindings {
  readonly overlaps: readonly Overlap[];
  readonly foreignReleases: readonly ForeignRelease[];
  readonly foreignRenewals: readonly ForeignRenewal[];
  readonly holdIntervals: readonly HoldInterval[];
  /** Keys that a request still prolonged when it had ended. */
  readonly renewedAfterEnd: ReadonlySet<string>;
  /** Steps on lock keys that have no place in the server's order: what they did is not decided. */
  readonly undecided: number;
}

type LockStep = StepLine & { readonly key: string };
type Ordered = LockStep & { readonly order: number };

/**
 * Who held which lock when. The order of acquiring and releasing is the server's own (`order`), never a client's clock.
 * That a holder was still at work when the next one came is seen from its later steps, on the machine's one monotonic clock.
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

/** The steps on lock keys that have a place in the server's order, in that order. Voters have no order in common. */
export const orderedLockSteps = (history: readonly HistoryLine[]): Ordered[] =>
  stepsOf(history)
    .filter(isOnLock)
    .filter(hasOrder)
    .filter(({ server = 'primary' }) => server === 'primary')
    .sort(byOrder);

const isOnLock = (line: StepLine): line is LockStep =>
  line.key?.startsWith('lock:') === true && (line.kind === 'redis' || movesQueue(line));

/**
 * Where ZooKeeper and etcd keep a queue: who joins it, finds itself the first, or leaves. What was refused because its
 * session or lease had ended did nothing.
 */
const movesQueue = ({ kind, verb, reply, errorCode }: StepLine): boolean =>
  (QUEUE_VERBS[kind]?.has(verb) ?? false) && reply !== false && errorCode !== 'LOCK.LOST';

const QUEUE_VERBS: Partial<Record<StepKind, ReadonlySet<string>>> = {
  zk: new Set(['CREATE', 'CHILDREN', 'DELETE']),
  etcd: new Set(['PUT', 'RANGE', 'REVOKE']),
};

const hasOrder = (line: LockStep): line is Ordered => line.order !== undefined;

/** A look has the number of the last change before it: a release comes before the look that finds the lock free. */
const byOrder = (a: Ordered, b: Ordered): number =>
  a.order - b.order || Number(released(b)) - Number(released(a));

/** A lock in several servers: which tries for a part belong to one that won, and what the others decided without it. */
interface Votes {
  /** True unless the step took a part in a try that did not get more than half of the parts, or came too late. */
  readonly won: (step: LockStep) => boolean;
  /** Commands that one server did not answer, while more than half of the servers answered theirs. */
  readonly outvoted: ReadonlySet<LockStep>;
}

/**
 * A lock that lies in several servers is held by who has more than half of it. What a request sends to the servers in
 * turn is one try, or one release, until it comes to a server for the second time.
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
        if (!isMajority || gaveBack(round, rounds[i + 1])) for (const step of round) lost.add(step);
        const silent = round.filter(({ order }) => order === undefined);
        if (silent.length < servers / 2) for (const step of silent) outvoted.add(step);
      }
    }
  }
  return { won: (step) => !lost.has(step), outvoted };
}

/** The request's very next step after its try was to release: it did not believe to have the lock. */
const gaveBack = (round: readonly LockStep[], [next]: readonly LockStep[] = []): boolean =>
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

/** Two holders who meet at several servers are still only two. */
const distinct = (overlaps: readonly Overlap[]): Overlap[] => [
  ...new Map(overlaps.map((one) => [`${one.key} ${one.first} ${one.second}`, one])).values(),
];

/** The steps, each once: a step that was pending when a fault was announced may have been answered after all. */
export function stepsOf(history: readonly HistoryLine[]): StepLine[] {
  const steps = history.filter((line): line is StepLine => line.type === 'step');
  const nameOf = ({ pid, request, n, t }: StepLine): string => `${pid} ${request} ${n} ${t}`;
  const answered = new Set(steps.filter(({ pending }) => pending !== true).map(nameOf));
  const pending = new Map(steps.filter((step) => step.pending === true).map((step) => [nameOf(step), step]));
  return steps.filter(
    (step) => step.pending !== true || (!answered.has(nameOf(step)) && pending.get(nameOf(step)) === step),
  );
}

export const acquired = ({ kind, verb, text, script, reply }: StepLine): boolean =>
  (kind === 'zk' && ((verb === 'CHILDREN' && reply === null) || (verb === 'CREATE' && reply === true))) ||
  (kind === 'etcd' && verb === 'RANGE' && reply === null) || // nobody was there before
  (verb === 'SETNX' && reply === 1) ||
  (verb === 'SET' && reply === 'OK' && !/ XX\b/.test(text)) || // without NX it takes the lock from whoever has it
  (script?.startsWith('acquire') === true && reply !== null && reply !== 0) ||
  (script === 'take-turn' && reply === 1);

export const released = (step: StepLine): boolean =>
  (((step.kind === 'zk' && step.verb === 'DELETE') || (step.kind === 'etcd' && step.verb === 'REVOKE')) &&
    step.reply === true) ||
  (isRelease(step) && step.reply === 1) ||
  nextHolderToken(step) !== undefined;

const isRelease = ({ verb, script }: StepLine): boolean =>
  verb === 'DEL' || script?.startsWith('release') === true;

/** The token to whose owner a release has given the lock. */
export const nextHolderToken = ({ script, reply }: StepLine): string | undefined =>
  script?.startsWith('release') === true && typeof reply === 'string' ? reply : undefined;

/** Sets the expiry anew. Right after SETNX it is the second half of acquiring. */
export const renews = ({ verb, script }: StepLine): boolean =>
  /^P?EXPIRE$/.test(verb) || script?.startsWith('renew') === true;

/** One lock on one server. */
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
    const came = step.t + step.took;
    for (const first of inside)
      if (first !== request && (lastWork.get(first) ?? 0) > came)
        overlaps.push({ key, first, second: request });
    inside.add(request);
    owner = request;
    holdIntervals.push({ key, request, replica, from: came, until: lastTouch(steps, step) ?? null });
  };
  for (const step of steps) {
    const { key, request } = step;
    if (acquired(step) && !won(step)) owner = request;
    else if (acquired(step)) enter(step);
    else if (released(step)) {
      const leavesQueue = step.kind !== 'redis' && owner !== request; // its own place in it: it has waited in vain
      if (owner !== undefined && owner !== request && !leavesQueue)
        foreignReleases.push({ key, by: request, owner });
      if (!leavesQueue) owner = undefined;
      inside.delete(request);
      const nextHolder = nextHolderToken(step);
      const next = steps.find(
        ({ script, text }) => script?.startsWith('acquire') === true && text.includes(nextHolder ?? ' '),
      );
      if (nextHolder !== undefined && next !== undefined)
        enter({ ...step, request: next.request, replica: next.replica });
    } else if (renews(step) && step.reply === 1 && owner !== undefined && owner !== request)
      foreignRenewals.push({ key, by: request, owner });
  }
  return { overlaps, foreignReleases, foreignRenewals, holdIntervals };
}

/** Timers that outlived their request: as long as their process lives, the key does. */
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
      renews(step) && step.reply === 1 && step.t > (ended.get(step.request) ?? Infinity) ? [step.key] : [],
    ),
  );
}

/** When the request last touched the key after it had acquired it, other than to renew: its release. */
const lastTouch = (steps: readonly Ordered[], acquire: Ordered): number | undefined =>
  steps.findLast(
    (step) =>
      step.request === acquire.request &&
      step.order > acquire.order &&
      !renews(step) &&
      !/^P?TTL$/.test(step.verb),
  )?.t;

/**
 * When the last statement of each request's work was answered, in the processes that take locks (the order app takes none).
 * A statement that waits in the database is still to come.
 */
function lastWorkOf(steps: readonly StepLine[], onLocks: readonly LockStep[]): ReadonlyMap<string, number> {
  const lockers = new Set(onLocks.map(({ replica }) => replica));
  const last = new Map<string, number>();
  for (const { request, replica, kind, t, took } of steps) {
    if (kind === 'sql' && lockers.has(replica)) last.set(request, Math.max(t + took, last.get(request) ?? 0));
  }
  return last;
}
