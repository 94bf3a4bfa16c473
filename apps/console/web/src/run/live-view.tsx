import type { ReactNode } from 'react';
import type { RunView } from '../api/types';
import { Bars, type Bar } from '../shared/bars';
import { labelOf, useTexts, type Texts } from '../texts';
import { StockChart } from './stock-chart';

/** What is seen of a run while it runs: stock and sales, answers, replicas. */
export function LiveView({ view: { plan, samples, verdict } }: { view: RunView }): ReactNode {
  const t = useTexts();
  const last = samples.at(-1);
  if (last === undefined) return undefined;
  const gap = last.sold + last.stock - plan.stock;
  return (
    <>
      {verdict === undefined && (
        <dl className="numbers">
          <div>
            <dd>{last.stock}</dd>
            <dt>{t.run.stockLeft}</dt>
          </div>
          <div>
            <dd>{last.sold}</dd>
            <dt>{t.run.sold}</dt>
          </div>
          <div className={gap === 0 ? 'gap' : 'gap gap-wrong'}>
            <dd>{gap}</dd>
            <dt>{t.run.gap}</dt>
          </div>
          <div>
            <dd>{last.inFlight}</dd>
            <dt>{t.run.inFlight}</dt>
          </div>
        </dl>
      )}
      <StockChart initial={plan.stock} samples={samples} />
      <div className="run-bars">
        <Bars title={t.run.answers} bars={answerBars(t, last.answers)} />
        <Bars
          title={t.run.perReplica}
          bars={Object.entries(last.replicas)
            .sort(([a], [b]) => a.localeCompare(b))
            .map(([name, value]) => ({ name, label: name, value }))}
        />
      </div>
    </>
  );
}

const answerBars = (t: Texts, answers: Readonly<Record<string, number>>): Bar[] =>
  Object.entries(answers)
    .sort(([, a], [, b]) => b - a)
    .map(([code, value]) => ({ name: code, label: labelOf(t.outcomes, code), value, tone: toneOf(code) }));

const toneOf = (code: string): string => {
  if (code === 'APPLIED') return 'bar-safe';
  if (code === 'STOCK.SOLD_OUT') return 'bar-other';
  return code.startsWith('LOCK.') || code.startsWith('SQL.') ? 'bar-fault' : 'bar-wrong';
};
