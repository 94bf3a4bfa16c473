import { useState, type ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import type { OptionValues, RunBody } from '../api/types';
import { Field, NumberField, SelectField, StrategyField } from '../shared/fields';
import { StrategyOptions } from '../shared/strategy-options';
import { useTexts } from '../texts';

const LEAST_LEASE_MS = 10;
const FAULT_ON = ['first', 'nth=10', 'every=10'] as const;

/** The settings of a run. */
export function RunForm({ isBusy, start }: { isBusy: boolean; start: (body: RunBody) => void }): ReactNode {
  const t = useTexts();
  const [search] = useSearchParams();
  const [strategy, setStrategy] = useState(search.get('strategy') ?? 'none');
  const [replicas, setReplicas] = useState<number | undefined>(2);
  const [stock, setStock] = useState<number | undefined>(100);
  const [connections, setConnections] = useState<number | undefined>(50);
  const [requests, setRequests] = useState<number | undefined>(300);
  const [options, setOptions] = useState<OptionValues>({ workMs: 5 });
  const [fault, setFault] = useState('');
  const [faultOn, setFaultOn] = useState<string>('first');
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        start({
          strategy,
          replicas: replicas ?? 2,
          stock: stock ?? 100,
          connections: connections ?? 50,
          requests: requests ?? 300,
          options,
          faultOn: fault.trim() === '' ? 'first' : faultOn,
          ...(fault.trim() !== '' && { fault: fault.trim() }),
        });
      }}
    >
      <StrategyField value={strategy} change={setStrategy} />
      <NumberField label={t.run.replicas} value={replicas} change={setReplicas} least={1} most={4} />
      <NumberField label={t.common.stock} value={stock} change={setStock} least={0} most={100_000} />
      <NumberField
        label={t.run.connections}
        value={connections}
        change={setConnections}
        least={1}
        most={200}
      />
      <NumberField label={t.run.requests} value={requests} change={setRequests} least={1} most={20_000} />
      <StrategyOptions
        strategy={strategy}
        values={options}
        change={setOptions}
        leastLeaseMs={LEAST_LEASE_MS}
      />
      <Field label={`${t.run.fault} (${t.common.optional})`} hint={t.run.faultHint}>
        {(id) => (
          <input
            id={id}
            value={fault}
            maxLength={200}
            spellCheck={false}
            onChange={({ target }) => {
              setFault(target.value);
            }}
          />
        )}
      </Field>
      {fault !== '' && (
        <SelectField
          label={t.run.faultOn}
          value={faultOn}
          choices={FAULT_ON.map((value) => {
            const [kind, n] = value.split('=');
            const words = kind === 'first' ? t.run.first : t.run[kind === 'nth' ? 'nth' : 'every'](Number(n));
            return [value, words];
          })}
          change={setFaultOn}
        />
      )}
      <button type="submit" className="primary wide" disabled={isBusy}>
        {t.common.start}
      </button>
    </form>
  );
}
