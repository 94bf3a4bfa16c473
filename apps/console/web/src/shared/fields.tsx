import { useId, type ReactNode } from 'react';
import { useStrategies } from '../api/shared-lists';
import { useTexts } from '../texts';

/** A labeled field of a form. */
export function Field({
  label,
  hint,
  children,
}: {
  label: string;
  hint?: string;
  children: (id: string) => ReactNode;
}): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(id)}
      {hint !== undefined && <small>{hint}</small>}
    </div>
  );
}

/** A whole number; an empty field is the default, which the placeholder shows. */
export function NumberField({
  label,
  value,
  change,
  least,
  most,
  placeholder,
}: {
  label: string;
  value: number | undefined;
  change: (value: number | undefined) => void;
  least: number;
  most: number;
  placeholder?: string;
}): ReactNode {
  return (
    <Field label={label}>
      {(id) => (
        <input
          id={id}
          type="number"
          inputMode="numeric"
          min={least}
          max={most}
          value={value ?? ''}
          required={placeholder === undefined}
          placeholder={placeholder}
          onChange={({ target }) => {
            change(target.value === '' ? undefined : target.valueAsNumber);
          }}
        />
      )}
    </Field>
  );
}

/** One of several values, each with its words. */
export function SelectField({
  label,
  value,
  choices,
  change,
}: {
  label: string;
  value: string;
  choices: readonly (readonly [value: string, words: string])[];
  change: (value: string) => void;
}): ReactNode {
  return (
    <Field label={label}>
      {(id) => (
        <select
          id={id}
          value={value}
          onChange={({ target }) => {
            change(target.value);
          }}
        >
          {choices.map(([choice, words]) => (
            <option key={choice} value={choice}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** The strategies by name; while the list is not known, the current one. */
export function StrategyField({
  value,
  change,
}: {
  value: string;
  change: (name: string) => void;
}): ReactNode {
  const t = useTexts();
  const names = useStrategies()?.map(({ name }) => name) ?? [value];
  return (
    <SelectField
      label={t.common.strategy}
      value={value}
      choices={names.map((name) => [name, name])}
      change={change}
    />
  );
}

/** Two or three buyers, and their processes. */
export function BuyersField({
  value,
  change,
}: {
  value: string;
  change: (actors: string) => void;
}): ReactNode {
  const t = useTexts();
  return (
    <SelectField
      label={t.step.buyers}
      value={value}
      choices={Object.entries(t.step.actors)}
      change={change}
    />
  );
}
