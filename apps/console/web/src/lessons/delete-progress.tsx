import type { ReactNode } from 'react';
import { ConfirmedAction } from '../shared/confirmed-action';
import { useTexts } from '../texts';
import { forgetGoals } from './progress';

/** Deletes the reached goals of this browser, after a confirmation: nothing restores them. */
export function DeleteProgress({ count }: { count: number }): ReactNode {
  const t = useTexts();
  return (
    <ConfirmedAction
      label={t.lessons.reset}
      confirm={t.lessons.deleteGoals(count)}
      isPossible={count > 0}
      act={forgetGoals}
    />
  );
}
