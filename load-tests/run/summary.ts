import type { Traffic } from './traffic';

/** Latencies and rates of the clients. Milliseconds, from sending the request to the whole answer. */
export interface LatencySummary {
  readonly requestsPerSecond: number;
  readonly salesPerSecond: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
  readonly unanswered: number;
  /** Number of answers by replica of the order app. */
  readonly share: Readonly<Record<string, number>>;
}

export function summarize({ answers, unanswered, tookMs }: Traffic): LatencySummary {
  const latencies = answers.map((answer) => answer.tookMs).sort((a, b) => a - b);
  const percentile = (p: number): number =>
    round(latencies[Math.max(0, Math.ceil((p / 100) * latencies.length) - 1)] ?? 0);
  const perSecond = (count: number): number => (tookMs === 0 ? 0 : round((1000 * count) / tookMs));
  const share: Record<string, number> = {};
  for (const { replica } of answers) if (replica !== null) share[replica] = (share[replica] ?? 0) + 1;
  return {
    requestsPerSecond: perSecond(answers.length),
    salesPerSecond: perSecond(answers.filter(({ code }) => code === 'APPLIED').length),
    p50: percentile(50),
    p90: percentile(90),
    p99: percentile(99),
    max: percentile(100),
    unanswered,
    share,
  };
}

const round = (value: number): number => Math.round(value * 10) / 10;
