import type { ReactNode } from 'react';
import { useLanguage } from '../texts';

export interface Bar {
  readonly name: string;
  readonly label: string;
  readonly value: number;
  /** A class that colors it. */
  readonly tone?: string;
}

/** Numbers by name as horizontal bars, the largest as wide as the list. */
export function Bars({ title, bars }: { title: string; bars: readonly Bar[] }): ReactNode {
  const { language } = useLanguage();
  const number = new Intl.NumberFormat(language);
  const most = Math.max(1, ...bars.map(({ value }) => value));
  if (bars.length === 0) return undefined;
  return (
    <section className="bars">
      <h2>{title}</h2>
      <dl>
        {bars.map(({ name, label, value, tone = '' }) => (
          <div key={name}>
            <dt title={name}>{label}</dt>
            <dd>
              <span className={`bar ${tone}`} style={{ width: `${(value / most) * 100}%` }} />
              <span className="bar-value">{number.format(value)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
