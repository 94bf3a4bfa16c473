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

/** The strategies by name; while the list is not known, the current one. */
export function StrategyField({
  value,
  change,
}: {
  value: string;
  change: (name: string) => void;
}): ReactNode {
  const t = useTexts();
  const strategies = useStrategies();
  const names = strategies?.map(({ name }) => name) ?? [value];
  return (
    <Field label={t.common.strategy}>
      {(id) => (
        <select
          id={id}
          value={value}
          onChange={({ target }) => {
            change(target.value);
          }}
        >
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
    </Field>
  );
}
