import { useState, type ReactNode } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { api, problemOf } from '../api/client';
import { useVocabulary } from '../api/shared-lists';
import type { OptionValues, Problem } from '../api/types';
import { BuyersField, NumberField, StrategyField } from '../shared/fields';
import { ProblemMessage } from '../shared/problem-message';
import { StrategyOptions } from '../shared/strategy-options';
import { labelOf, useTexts } from '../texts';

const MAX_TIMES = 2;
const LEAST_LEASE_MS = 5000;
const NUMBERS = ['leaseMs', 'waitMs', 'workMs', 'attempts'];

/** The settings of an exploration; the address may contain those of a schedule. */
export function ExplorationForm(): ReactNode {
  const t = useTexts();
  const [, navigate] = useLocation();
  const [search] = useSearchParams();
  const [strategy, setStrategy] = useState(search.get('strategy') ?? 'token-lua');
  const [actors, setActors] = useState(search.get('actors') ?? '12');
  const [stock, setStock] = useState<number | undefined>(Number(search.get('stock') ?? '1'));
  const [times, setTimes] = useState(() => readFaults(search.get('faults') ?? ''));
  const [seconds, setSeconds] = useState<number | undefined>(60);
  const [options, setOptions] = useState(() => optionsOf(search));
  const [problem, setProblem] = useState<Problem>();
  const start = (): void => {
    const faults = [...times].map(([name, count]) => `${name}:${count}`).join(',');
    const body = { strategy, actors, stock: stock ?? 1, options, faults, seconds: seconds ?? 60 };
    api.explore(body).then(
      ({ job }) => {
        navigate(`/explore/${job.id}`);
      },
      (error: unknown) => {
        setProblem(problemOf(error));
      },
    );
  };
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        start();
      }}
    >
      <StrategyField value={strategy} change={setStrategy} />
      <BuyersField value={actors} change={setActors} />
      <NumberField label={t.common.stock} value={stock} change={setStock} least={0} most={9} />
      <NumberField label={t.explore.seconds} value={seconds} change={setSeconds} least={1} most={600} />
      <FaultChips times={times} change={setTimes} />
      <details className="wide" open={Object.keys(options).length > 0}>
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
      <button type="submit" className="primary wide">
        {t.explore.start}
      </button>
      {problem !== undefined && <ProblemMessage problem={problem} />}
    </form>
  );
}

type Times = ReadonlyMap<string, number>;

/** A chip for each fault: a click allows it once more, and then no more. */
function FaultChips({ times, change }: { times: Times; change: (times: Times) => void }): ReactNode {
  const t = useTexts();
  const faults = useVocabulary()?.faults ?? t.faultHelp;
  return (
    <fieldset className="wide chips">
      <legend>{t.explore.faults}</legend>
      {Object.keys(faults).map((name) => {
        const count = times.get(name) ?? 0;
        return (
          <button
            key={name}
            type="button"
            className="chip"
            aria-pressed={count > 0}
            title={t.faultHelp[name] ?? faults[name]}
            onClick={() => {
              const others = [...times].filter(([other]) => other !== name);
              change(new Map(count < MAX_TIMES ? [...others, [name, count + 1]] : others));
            }}
          >
            {labelOf(t.kinds, name)}
            {count > 0 && <b>{t.explore.times(count)}</b>}
          </button>
        );
      })}
    </fieldset>
  );
}

const readFaults = (text: string): Times =>
  new Map(
    text
      .split(',')
      .filter((part) => part !== '')
      .map((part) => {
        const [name = '', count = '1'] = part.split(':');
        return [name, Number(count)];
      }),
  );

function optionsOf(search: URLSearchParams): OptionValues {
  const numbers = NUMBERS.filter((name) => search.has(name)).map((name) => [name, Number(search.get(name))]);
  const words = ['wait', 'isolation']
    .filter((name) => search.has(name))
    .map((name) => [name, search.get(name)]);
  return Object.fromEntries([...numbers, ...words]) as OptionValues;
}
