import type { ReactNode } from 'react';
import type { RunVerdict } from '../api/types';
import { labelOf, useLanguage, useTexts } from '../texts';
import { bigWords, markOf } from './verdict-words';

/** The verdict of a run, large, with the sentence that explains it. */
export function VerdictView({ verdict }: { verdict: RunVerdict }): ReactNode {
  const t = useTexts();
  const { language } = useLanguage();
  const { initial, final, sold, mechanism, because, violations, requests, asExpected, headline } = verdict;
  const number = new Intl.NumberFormat(language);
  return (
    <div className={`verdict verdict-large verdict-${markOf(verdict)}`}>
      <strong>{bigWords(t, verdict)}</strong>
      <p className="verdict-numbers">
        {t.run.initial} {number.format(initial)} · {t.run.sold} {number.format(sold)} · {t.run.final}{' '}
        {number.format(final)}
        {violations.length > 0 && ` · ${violations.map((kind) => labelOf(t.violations, kind)).join(', ')}`}
      </p>
      <p>{mechanism ?? headline}</p>
      {because.map((reason) => (
        <p key={reason}>{reason}</p>
      ))}
      {requests.length > 0 && (
        <p>
          {t.run.colliding}: {requests.map((id) => id.slice(0, 12)).join(', ')}
        </p>
      )}
      <p>
        <small>{asExpected ? t.common.expected : t.common.unexpected}</small>
      </p>
    </div>
  );
}
