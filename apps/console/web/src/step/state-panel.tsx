import type { ReactNode } from 'react';
import type { StepView } from '../api/types';
import { useLanguage, useTexts } from '../texts';

/** What the servers contain now. */
export function StatePanel({ view }: { view: StepView }): ReactNode {
  const t = useTexts();
  const { language } = useLanguage();
  const number = new Intl.NumberFormat(language);
  const sold = -view.movements.reduce((sum, { delta }) => sum + delta, 0);
  const amounts = Object.entries(view.balances);
  const name = (balance: string): string => (amounts.length > 1 ? `${balance}: ` : '');
  return (
    <dl className="state" aria-label={t.step.state}>
      <div>
        <dt>{t.step.stock}</dt>
        <dd className="state-large">
          {amounts.map(([balance, amount]) => `${name(balance)}${view.stock} → ${amount}`).join(', ')}
        </dd>
      </div>
      <div>
        <dt>{t.step.sold}</dt>
        <dd className={sold > view.stock * amounts.length ? 'state-large state-bad' : 'state-large'}>
          {sold}
        </dd>
      </div>
      <div className="state-wide">
        <dt>{t.step.locks}</dt>
        <dd>
          {view.locks.length === 0 && <span className="muted">{t.step.noLocks}</span>}
          {view.locks.map(({ key, owner, remainingMs }) => (
            <span key={key} className={`lock actor-${owner ?? ''}`}>
              <code>{key.replace(/\{([^}]*)\}:/, '')}</code>{' '}
              {owner === undefined ? t.step.noOwner : t.step.owner(owner)} ·{' '}
              {remainingMs === undefined ? t.step.forever : t.step.remaining(number.format(remainingMs))}
            </span>
          ))}
        </dd>
      </div>
      <div>
        <dt>{t.step.time}</dt>
        <dd>
          {number.format(view.now)} {t.common.milliseconds}
        </dd>
      </div>
      <div>
        <dt>{t.step.movements}</dt>
        <dd>
          {view.movements.length === 0 && <span className="muted">{t.step.noMovements}</span>}
          {view.movements.map(({ balance, request, before, after }, i) => (
            <span key={i} className={`movement actor-${request}`}>
              {request}: {name(balance)}
              {before} → {after}
            </span>
          ))}
        </dd>
      </div>
    </dl>
  );
}
