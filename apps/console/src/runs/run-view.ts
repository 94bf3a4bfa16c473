import {
  balancesOf,
  unexpectedText,
  unfiredInChinese,
  unfiredText,
  type LoadPlan,
  type UnfiredFaults,
} from '#load-tests/run';
import { drillVerdictInChinese, verdictInChinese } from '#load-tests/report';
import type { SavedVerdict } from '#load-tests/results';
import type { z } from 'zod';
import type { runVerdict, RunView } from './schemas';

export type RunVerdict = z.infer<typeof runVerdict>;

/** A verdict of this console, or one that was saved. */
export function verdictView(verdict: SavedVerdict, unfired?: UnfiredFaults): RunVerdict {
  const { drillReasons, unexpected } = verdict;
  const chinese =
    drillReasons === undefined
      ? verdictInChinese(verdict)
      : drillVerdictInChinese({ ...verdict, reasons: drillReasons });
  return {
    verdict: verdict.verdict,
    mark: verdict.mark,
    headline: verdict.headline,
    asExpected: verdict.asExpected,
    because: [...verdict.because, ...(unfired === undefined ? [] : [unfiredText(unfired)])],
    initial: verdict.initial,
    final: verdict.finalStock,
    sold: verdict.sold,
    oversold: verdict.oversold,
    lostUpdates: verdict.lostUpdates,
    violations: verdict.violations,
    ...(typeof verdict.mechanism === 'string' && { mechanism: verdict.mechanism }),
    ...(unexpected !== undefined && { unexpected: unexpectedText(unexpected) }),
    requests: collided(verdict),
    ...(chinese !== undefined && {
      inChinese: {
        ...chinese,
        because: [...chinese.because, ...(unfired === undefined ? [] : [unfiredInChinese(unfired)])],
        ...(unexpected !== undefined && { unexpected: unexpectedText(unexpected, 'zh') }),
      },
    }),
  };
}

/** The requests of the first finding: those that sold one value, held one lock at once, or touched the lock of another. */
function collided({
  duplicates: [duplicate] = [],
  overlaps: [overlap] = [],
  foreignReleases: [release] = [],
  foreignRenewals: [renewal] = [],
}: SavedVerdict): readonly string[] {
  if (duplicate !== undefined) return duplicate.sales.map(({ request }) => request);
  if (overlap !== undefined) return [overlap.first, overlap.second];
  const foreign = release ?? renewal;
  return foreign === undefined ? [] : [foreign.by, foreign.owner];
}

/** As for the samples, the stocks of several products are added. */
export function planView(plan: LoadPlan): RunView['plan'] {
  const { strategy, stock, requests, connections, replicas, options, fault } = plan;
  return {
    strategy,
    stock: stock * balancesOf(plan).length,
    requests,
    connections,
    replicas,
    options: { ...options },
    ...(fault !== undefined && { fault: fault.header }),
  };
}
