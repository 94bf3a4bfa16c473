import type { ReactNode } from 'react';
import type { Mark } from '../api/types';
import { useTexts } from '../texts';

/** The signs of libs/verdict/src/mark.ts, identical in all outputs. `none`: the fault cannot occur there. */
export const SIGNS: Readonly<Record<Mark | 'none', string>> = {
  'data-wrong': '✗',
  unavailable: '⊘',
  'lock-broken': '!',
  safe: '✓',
  unknown: '?',
  none: '–',
};

export const MARKS = Object.keys(SIGNS) as (Mark | 'none')[];

/** A mark as a sign; its words are read out. */
export function MarkSign({ mark }: { mark: Mark | 'none' }): ReactNode {
  const t = useTexts();
  return (
    <span className={`mark mark-${mark}`} title={t.marks[mark]}>
      <span aria-hidden="true">{SIGNS[mark]}</span>
      <span className="hidden">{t.marks[mark]}</span>
    </span>
  );
}
