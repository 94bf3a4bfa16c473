import type { LimitExpectation, LimitViolationKind } from '#lab/limit';
import type { DecisionLine } from '#lab/step';
import { worstFirst, worstHarm } from '../mark';
import type { LimitEvidence, LimitVerdict } from './evidence';
import { clockOf, mostInAnyWindow } from './windows';

/** The least fairness of clients with the same load. */
const LEAST_FAIRNESS = 0.5;

/** Judges a limiter by its recorded decisions. The limiter's own counters are not used. */
export function judgeLimit(evidence: LimitEvidence, expected: LimitExpectation): LimitVerdict {
  const { decisions, limit, promise, peers } = evidence;
  const most = mostInAnyWindow(decisions, limit.windowMs);
  const fairness = fairnessOf(decisions, peers);
  const blocked = blockedClients(evidence);
  const down = decisions.filter(({ onError }) => onError === 'closed').length;
  const found: [LimitViolationKind, boolean, string][] = [
    [
      'over-limit',
      most.admitted > promise,
      `${most.client}: ${most.admitted} requests were admitted in ${limit.windowMs} ms, ${promise} are promised (clock of ${most.clock === 'redis' ? 'Redis' : 'the host'})`,
    ],
    ['blocked-forever', blocked.length > 0, blocked.map(describeBlocked).join('; ')],
    [
      'unfair',
      fairness < LEAST_FAIRNESS,
      `the clients had admitted requests in the ratio ${fairness.toFixed(2)}`,
    ],
    ['limiter-down', down > 0, `${down} requests were refused with 503, because Redis did not answer`],
  ];
  const violations = found.filter(([, isFound]) => isFound);
  const kinds = worstFirst(violations.map(([kind]) => kind));
  const unproved = [...evidence.unproved, ...(kinds.length === 0 ? untested(evidence) : [])];
  const verdict = kinds.length > 0 ? 'violated' : unproved.length > 0 ? 'unknown' : 'safe';
  return {
    most,
    promise,
    fairness,
    ...ratesOf(evidence),
    violations: kinds,
    mark: verdict === 'violated' ? (worstHarm(kinds) ?? 'unknown') : verdict,
    verdict,
    because: verdict === 'unknown' ? unproved : violations.map(([, , sentence]) => sentence),
    expected,
    asExpected: verdict !== 'unknown' && isExpected(kinds, expected),
  };
}

const describeBlocked = ({ client, key }: LimitEvidence['endlessKeys'][number]): string =>
  `${client} is refused although nothing was admitted for a whole window, and ${key} has no expiry`;

const isExpected = (kinds: readonly LimitViolationKind[], { must, may }: LimitExpectation): boolean =>
  must.every((kind) => kinds.includes(kind)) &&
  kinds.every((kind) => must.includes(kind) || may.includes(kind));

/** What a run must show before its limiter may be called safe: more requests than the limit, decided by two replicas. */
function untested({ decisions }: LimitEvidence): string[] {
  const replicas = new Set(decisions.map(({ replica }) => replica));
  return [
    ...(decisions.every(({ admitted }) => admitted)
      ? ['no request was refused: the limit was not reached']
      : []),
    ...(replicas.size < 2 ? [`${replicas.size} replica decided: a limit of one process looks the same`] : []),
  ];
}

/** Clients that are refused although nothing of theirs was admitted for a window, and whose key never expires. */
function blockedClients({ decisions, endlessKeys, limit }: LimitEvidence): LimitEvidence['endlessKeys'] {
  const { timeOf } = clockOf(decisions);
  return endlessKeys.filter(({ client }) => {
    const own = decisions.filter((decision) => decision.client === client);
    const last = Math.max(...own.filter(({ admitted }) => admitted).map(timeOf), -Infinity);
    const since = Number.isFinite(last) ? last : Math.min(...own.map(timeOf));
    return own.some((decision) => !decision.admitted && timeOf(decision) > since + limit.windowMs);
  });
}

function fairnessOf(decisions: readonly DecisionLine[], peers: readonly string[]): number {
  const counts = peers.map(
    (client) => decisions.filter((one) => one.client === client && one.admitted).length,
  );
  const most = Math.max(...counts, 0);
  return most === 0 ? 1 : Math.min(...counts) / most;
}

function ratesOf({
  decisions,
  peers,
  limit,
}: LimitEvidence): Pick<LimitVerdict, 'admittedPerSecond' | 'promisedPerSecond'> {
  const own = decisions.filter(({ client }) => peers.includes(client));
  const times = own.map(({ t }) => t / 1e6).sort((a, b) => a - b);
  const seconds = (times.at(-1) ?? 0) - (times[0] ?? 0);
  const admitted = own.filter((decision) => decision.admitted).length;
  return {
    admittedPerSecond: own.length === 0 ? 0 : admitted / seconds / peers.length,
    promisedPerSecond: (1000 * limit.max) / limit.windowMs,
  };
}
