import type { ClientAnswer } from '#lab/verdict';
import type { Offered } from '#load-tests/arrivals';
import { percentile } from '#load-tests/figures';
import type { Traffic } from './traffic';

/** Latencies to the whole answer, milliseconds; null in JSON when nothing was answered. */
export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** Latencies and rates of the clients. In an open loop the latencies begin when the request was due, otherwise when it was sent. */
export interface LatencySummary extends Percentiles {
  readonly requestsPerSecond: number;
  readonly salesPerSecond: number;
  readonly unanswered: number;
  /** Number of answers by replica of the order app. */
  readonly share: Readonly<Record<string, number>>;
  /** The rate that was actually offered. Open loop only. */
  readonly offered?: Offered;
  /** Latencies measured from the send: without the time for which a due request had to wait. Open loop only. */
  readonly uncorrected?: Percentiles;
}

export function summarize({ answers, unanswered, tookMs, offered }: Traffic): LatencySummary {
  const perSecond = (count: number): number => (tookMs === 0 ? 0 : round((1000 * count) / tookMs));
  const share: Record<string, number> = {};
  for (const { replica } of answers) if (replica !== null) share[replica] = (share[replica] ?? 0) + 1;
  return {
    requestsPerSecond: perSecond(answers.length),
    salesPerSecond: perSecond(answers.filter(({ code }) => code === 'APPLIED').length),
    ...percentilesOf(answers.map(sinceDue)),
    unanswered,
    share,
    ...(offered !== undefined && {
      offered,
      uncorrected: percentilesOf(answers.map(({ tookMs: ms }) => ms)),
    }),
  };
}

const sinceDue = ({ lateMs = 0, tookMs }: ClientAnswer): number => lateMs + tookMs;

function percentilesOf(latencies: readonly number[]): Percentiles {
  const ascending = latencies.toSorted((a, b) => a - b);
  const at = (p: number): number => round(percentile(ascending, p));
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}

const round = (value: number): number => Math.round(value * 10) / 10;
