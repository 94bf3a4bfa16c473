import { count } from '#lab/step';
import type { Offered, OpenLoop } from '#load-tests/arrivals';
import { balancesOf, hostOf, type LoadPlan, type LoadRun, type Percentiles } from '#load-tests/run';
import type { Field } from './wrap';

/** The strategy, or those of two systems. */
export const strategyWords = ({ strategy, mixedWith }: LoadPlan): string =>
  mixedWith === undefined ? strategy : `${strategy} beside ${mixedWith.strategy}`;

/** What a run sent, to how many replicas. The first request with a fault is sent alone before the others, and is not one of them. */
export function trafficWords({ plan }: Pick<LoadRun, 'plan'>): string {
  const { amountMinor, carts, stock, requests, replicas, fault } = plan;
  const before = fault?.on.kind === 'first' ? ' after 1 with the fault' : '';
  const sent =
    amountMinor === undefined
      ? `${count(requests, 'order')}${before}, ${arrivalWords(plan)}, ${count(stock, 'unit')}${carts === undefined ? '' : ` of each of ${balancesOf(plan).join(', ')}`}`
      : `${count(requests, 'entry', 'entries')} of ${amountMinor}${before}, ${arrivalWords(plan)}, from a balance of ${stock}`;
  return `${sent}, ${count(replicas, `${hostOf(plan)} replica`)}`;
}

const arrivalWords = ({ connections, openLoop }: LoadPlan): string =>
  openLoop === undefined ? `${connections} at once` : openLoopWords(openLoop);

const openLoopWords = ({ perSecond, seconds, arrivals, seed }: OpenLoop): string =>
  `${perSecond}/s for ${seconds} s (open loop, ${arrivals === 'poisson' ? `poisson, seed ${seed}` : arrivals})`;

/** Rates and latencies of a run; of an open loop also what was offered, and the uncorrected latencies. */
export function speedFields({ plan, latency }: Pick<LoadRun, 'plan' | 'latency'>, verbose: boolean): Field[] {
  const { requestsPerSecond, salesPerSecond, offered, uncorrected } = latency;
  const sales = hostOf(plan) === 'account' ? 'entries' : 'sales';
  const speed: Field = ['speed', `${requestsPerSecond} requests/s, ${salesPerSecond} ${sales}/s`];
  if (offered === undefined || uncorrected === undefined)
    return [speed, ['latency', latencyWords(latency, verbose)]];
  return [
    ['offered', offeredWords(offered, plan)],
    speed,
    ['latency since due', latencyWords(latency, true)],
    ['latency since sent', `${latencyWords(uncorrected, true)} (uncorrected)`],
  ];
}

function latencyWords({ p50, p90, p99, max }: Percentiles, verbose: boolean): string {
  const shown = verbose ? { p50, p90, p99, max } : { p50, p99 };
  return Object.entries(shown)
    .map(([name, ms]) => `${name} ${Number.isNaN(ms) ? '–' : `${ms} ms`}`)
    .join(', ');
}

/** The rate that was offered, and if it is not the one asked for, why. */
function offeredWords(offered: Offered, { openLoop }: Pick<LoadPlan, 'openLoop'>): string {
  const { perSecond, askedPerSecond, lateP99Ms, lateMaxMs, waited, asAsked } = offered;
  const rate = `${perSecond.toFixed(1)} requests/s of ${askedPerSecond} requested`;
  const late = `sent late by ${lateP99Ms.toFixed(1)} ms (p99), ${lateMaxMs.toFixed(1)} ms at most`;
  if (asAsked) return `${rate}, ${late}`;
  const why =
    waited > 0
      ? `${count(waited, 'request')} waited, because ${openLoop?.inFlight ?? 0} were in flight`
      : 'this process could not send faster';
  return `NOT the requested rate: ${rate}, ${late}; ${why}`;
}
