import type { ReactNode } from 'react';
import type { OptionValues } from '../api/types';
import { useStrategies } from '../api/shared-lists';
import { useTexts, type Texts } from '../texts';
import { Field, NumberField } from './fields';

const NUMBERS = ['workMs', 'leaseMs', 'waitMs', 'attempts'] as const;
/** The values of the options that are words, with the names of their texts. */
const WORDS = [
  { name: 'wait', words: { poll: 'poll', notify: 'notify' } },
  {
    name: 'isolation',
    words: { 'repeatable-read': 'repeatableRead', 'read-committed': 'readCommitted' },
  },
] as const;

const TEXT_OF_WORD: ReadonlyMap<string, keyof Texts['options']> = new Map(
  WORDS.flatMap(({ words }) => Object.entries(words)),
);

/** A value of an option; words have a text. */
export function optionValue(t: Texts, value: string | number | boolean): string {
  const text = TEXT_OF_WORD.get(String(value));
  return text === undefined ? String(value) : t.options[text];
}

/** The options that a strategy uses; all while the catalogue is not known. Absent values are the defaults. */
export function StrategyOptions({
  strategy,
  values,
  change,
  leastLeaseMs,
}: {
  strategy: string;
  values: OptionValues;
  change: (values: OptionValues) => void;
  leastLeaseMs: number;
}): ReactNode {
  const t = useTexts();
  const known = useStrategies()?.find(({ name }) => name === strategy)?.options;
  const has = (name: string): boolean => known === undefined || known.includes(name);
  const set = (name: keyof OptionValues, value: number | string | undefined): void => {
    const others = Object.entries(values).filter(([other]) => other !== name);
    change(Object.fromEntries(value === undefined ? others : [...others, [name, value]]));
  };
  return (
    <>
      {NUMBERS.filter(has).map((name) => (
        <NumberField
          key={name}
          label={t.options[name]}
          value={values[name]}
          placeholder={t.options.standard}
          least={name === 'leaseMs' ? leastLeaseMs : name === 'attempts' ? 1 : 0}
          most={LIMITS[name]}
          change={(value) => {
            set(name, value);
          }}
        />
      ))}
      {WORDS.filter(({ name }) => has(name)).map(({ name, words }) => (
        <Field key={name} label={t.options[name]}>
          {(id) => (
            <select
              id={id}
              value={values[name] ?? ''}
              onChange={({ target }) => {
                set(name, target.value === '' ? undefined : target.value);
              }}
            >
              <option value="">{t.options.standard}</option>
              {Object.entries(words).map(([word, text]) => (
                <option key={word} value={word}>
                  {t.options[text]}
                </option>
              ))}
            </select>
          )}
        </Field>
      ))}
    </>
  );
}

/** The largest values that the API accepts. */
const LIMITS = { workMs: 10_000, leaseMs: 60_000, waitMs: 30_000, attempts: 100 } as const;
