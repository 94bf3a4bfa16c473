import type { ReactNode } from 'react';
import type { Counts, Job } from '../api/types';
import { Bars, type Bar } from '../shared/bars';
import { isOver } from '../shared/job-state';
import { SIGNS } from '../shared/mark';
import { labelOf, useLanguage, useTexts, type Texts } from '../texts';

const HARMS = ['data-wrong', 'unavailable', 'lock-broken'] as const;

/** What the schedules showed so far: a verdict, the shares of right and wrong ones, and details. */
export function CountsView({ counts, job }: { counts: Counts; job: Job }): ReactNode {
  const t = useTexts();
  const { language } = useLanguage();
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
  const { schedules, perSecond, interleavings, searched } = counts;
  const protections = Object.fromEntries(
    Object.entries(counts.inChinese).map(([words, chinese]) => [words, t.said(words, chinese)]),
  );
  return (
    <>
      <Headline counts={counts} job={job} />
      <ShareBar counts={counts} />
      <dl className="numbers">
        <Number label={t.explore.schedules} value={number.format(schedules)} />
        {perSecond !== undefined && <Number label={t.explore.perSecond} value={number.format(perSecond)} />}
        <Number label={t.explore.violating} value={number.format(counts.violating)} />
        <Number label={t.explore.searched} value={percent.format(searched)} />
        {interleavings !== undefined && (
          <Number
            label={t.explore.interleavings}
            value={t.explore.share(
              percent.format(
                (interleavings['data-wrong'] + interleavings.unavailable) / Math.max(1, interleavings.all),
              ),
              number.format(interleavings.all),
            )}
          />
        )}
      </dl>
      <div className="columns columns-3">
        <Bars title={t.explore.kinds} bars={barsOf(counts.kinds, t.violations, 'bar-wrong')} />
        <Bars title={t.explore.fired} bars={barsOf(counts.fired, t.kinds, 'bar-fault')} />
        <Bars title={t.explore.protections} bars={barsOf(counts.protections, protections, 'bar-safe')} />
      </div>
    </>
  );
}

const barsOf = (
  values: Readonly<Record<string, number>>,
  labels: Readonly<Record<string, string>>,
  tone: string,
): Bar[] =>
  Object.entries(values)
    .sort(([, a], [, b]) => b - a)
    .map(([name, value]) => ({ name, label: labelOf(labels, name), value, tone }));

function Headline({ counts, job }: { counts: Counts; job: Job }): ReactNode {
  const t = useTexts();
  const isWhole = isOver(job) && !counts.isPartial;
  const { mark, because } = counts;
  return (
    <div className={`verdict verdict-${mark}`} aria-live="polite">
      <strong>
        {SIGNS[mark]}{' '}
        {counts.violating > 0 ? foundIn(counts, isWhole, t) : isWhole ? t.explore.safe : t.explore.safeSoFar}
      </strong>
      {isOver(job) && (
        <p>
          {because !== undefined
            ? t.said(because.text, because.inChinese)
            : counts.isPartial
              ? t.explore.partial
              : t.explore.whole}
        </p>
      )}
    </div>
  );
}

/** The counts of the bar in words, so that a reader sees first whether the data stays right. */
function foundIn({ schedules, harms }: Counts, isWhole: boolean, t: Texts): string {
  const { wrong, right, also } = t.explore.found;
  const first = harms['data-wrong'] > 0 ? wrong(harms['data-wrong'], schedules) : right(schedules, isWhole);
  const others = (['unavailable', 'lock-broken'] as const).filter((harm) => harms[harm] > 0);
  return [first, ...others.map((harm) => also[harm](harms[harm]))].join(t.explore.found.separator);
}

/** One bar: schedules by their worst harm. A schedule may have several; `harms` counts each schedule once. */
function ShareBar({ counts: { schedules, harms } }: { counts: Counts }): ReactNode {
  const t = useTexts();
  const right = schedules - HARMS.reduce((sum, harm) => sum + harms[harm], 0);
  const parts = [
    { mark: 'safe', value: Math.max(0, right), label: t.explore.right },
    ...HARMS.map((harm) => ({ mark: harm, value: harms[harm], label: t.marks[harm] })),
  ] as const;
  return (
    <div className="share" role="group" aria-label={t.explore.bar}>
      {parts
        .filter(({ value }) => value > 0)
        .map(({ mark, value, label }) => (
          <span
            key={mark}
            className={`share-part cell-${mark}`}
            style={{ flexGrow: value }}
            title={`${label}: ${value}`}
          >
            <b className={`mark mark-${mark}`}>
              {SIGNS[mark]} {value}
            </b>{' '}
            {label}
          </span>
        ))}
    </div>
  );
}

const Number = ({ label, value }: { label: string; value: string }): ReactNode => (
  <div>
    <dd>{value}</dd>
    <dt>{label}</dt>
  </div>
);
