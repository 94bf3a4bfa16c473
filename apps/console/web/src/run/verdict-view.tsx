import type { ReactNode } from 'react';
import type { RunVerdict } from '../api/types';
import { labelOf, useLanguage, useTexts } from '../texts';
import { bigWords, markOf } from './verdict-words';

/** The first of them; the report has all. */
const MOST_NAMED = 3;

/** The verdict of a run, large, with the sentence that explains it. */
export function VerdictView({ verdict }: { verdict: RunVerdict }): ReactNode {
  const t = useTexts();
  const { language } = useLanguage();
  const { initial, final, sold, violations, requests, asExpected } = verdict;
  const { mechanism, headline, because, unexpected } =
    language === 'zh' ? (verdict.inChinese ?? verdict) : verdict;
  const number = new Intl.NumberFormat(language);
  return (
    <div className={`verdict verdict-large verdict-${markOf(verdict)}`}>
      <strong>{bigWords(t, verdict)}</strong>
      <p className="verdict-numbers">
        {t.run.initial} {number.format(initial)} · {t.run.sold} {number.format(sold)} · {t.run.final}{' '}
        {number.format(final)}
        {violations.length > 0 &&
          ` · ${violations.map((kind) => labelOf(t.violations, kind)).join(', ')}`}{' '}
        <small>({asExpected ? t.common.expected : t.common.unexpected})</small>
      </p>
      {/* the report lists the reasons; the mechanism contains them */}
      {(mechanism === undefined ? [headline, ...because] : [mechanism]).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {unexpected !== undefined && <p className="verdict-unexpected">{unexpected}</p>}
      {requests.length > 0 && (
        <p>
          {t.run.colliding}: {requests.slice(0, MOST_NAMED).join(', ')}
          {requests.length > MOST_NAMED && ' …'}
        </p>
      )}
    </div>
  );
}
