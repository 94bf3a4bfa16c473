import { useState, type ReactNode } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { api, problemOf } from '../api/client';
import type { BeginBody, OptionValues, Problem } from '../api/types';
import { BuyersField, NumberField, StrategyField } from '../shared/fields';
import { ProblemMessage } from '../shared/problem-message';
import { StrategyOptions } from '../shared/strategy-options';
import { useTexts } from '../texts';

/** Virtual time: a lease must be longer than a schedule takes. */
const LEAST_LEASE_MS = 5000;

/** Begins a schedule, and opens it. */
export function useBegin(): {
  begin: (body: BeginBody) => void;
  isBusy: boolean;
  problem: Problem | undefined;
} {
  const [, navigate] = useLocation();
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const begin = (body: BeginBody): void => {
    setBusy(true);
    setProblem(undefined);
    api.beginSteps(body).then(
      ({ token }) => {
        navigate(`/step/${token}`);
      },
      (error: unknown) => {
        setProblem(problemOf(error));
        setBusy(false);
      },
    );
  };
  return { begin, isBusy, problem };
}

/** The settings of a new schedule. */
export function BeginForm(): ReactNode {
  const t = useTexts();
  const [search] = useSearchParams();
  const [strategy, setStrategy] = useState(search.get('strategy') ?? 'none');
  const [actors, setActors] = useState('12');
  const [stock, setStock] = useState<number | undefined>(1);
  const [options, setOptions] = useState<OptionValues>({});
  const { begin, isBusy, problem } = useBegin();
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        begin({ strategy, actors, stock: stock ?? 1, options });
      }}
    >
      <StrategyField value={strategy} change={setStrategy} />
      <BuyersField value={actors} change={setActors} />
      <NumberField label={t.common.stock} value={stock} change={setStock} least={0} most={99} />
      <details className="wide">
        <summary>{t.common.advanced}</summary>
        <div className="form">
          <StrategyOptions
            strategy={strategy}
            values={options}
            change={setOptions}
            leastLeaseMs={LEAST_LEASE_MS}
          />
        </div>
      </details>
      <button type="submit" className="primary wide" disabled={isBusy}>
        {isBusy ? t.step.busy : t.step.begin}
      </button>
      {problem !== undefined && <ProblemMessage problem={problem} />}
    </form>
  );
}
