import type { ReactNode } from 'react';
import type { StepView, Violation } from '../api/types';
import { SIGNS } from '../shared/mark';
import { explain, labelOf, useTexts } from '../texts';

/** Violations as soon as they are certain, and how the schedule ended. */
export function Outcome({ view }: { view: StepView }): ReactNode {
  const t = useTexts();
  return (
    <div className="outcome" aria-live="assertive">
      {view.violations.map((violation) => (
        <ViolationBanner key={`${violation.kind} ${violation.sentence}`} violation={violation} />
      ))}
      {view.isOver && view.violations.length === 0 && (
        <div className="verdict verdict-safe">
          <strong>
            {SIGNS.safe} {t.step.right}
          </strong>
          <p>
            {view.protections.length === 0
              ? t.step.unprotected
              : `${t.step.rightBecause} ${view.protections.map(({ text, inChinese }) => t.said(text, inChinese)).join('; ')}`}
          </p>
        </div>
      )}
    </div>
  );
}

function ViolationBanner({ violation }: { violation: Violation }): ReactNode {
  const { kind, harm, at } = violation;
  const t = useTexts();
  return (
    <div className={`verdict verdict-${harm}`}>
      <strong>
        {SIGNS[harm]} {labelOf(t.violations, kind)}
      </strong>
      <p>
        {explain(t, violation)}
        {at.map((n) => (
          <a key={n} href={`#event-${n}`} aria-label={t.step.seeEvent(n)}>
            {n}
          </a>
        ))}
      </p>
    </div>
  );
}
