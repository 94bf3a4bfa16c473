import type { ReactNode } from 'react';
import type { Control, StepActor } from '../api/types';
import { labelOf, useTexts } from '../texts';
import { ChoiceButton } from './choice-button';
import { shortText } from './event-text';

/** A buyer: what it does next, and the buttons that execute it. */
export function BuyerHead({
  actor,
  controls,
  choose,
}: {
  actor: StepActor;
  controls: readonly Control[];
  choose: (control: Control) => void;
}): ReactNode {
  const t = useTexts();
  const { name, process, alive, cut, outcome, next } = actor;
  return (
    <section className={`buyer actor-${name}`} aria-label={t.step.buyer(name)}>
      <h2>
        <span className="buyer-name">{name}</span>
        <span className="buyer-process">{t.step.process(process)}</span>
        {!alive && <span className="tag tag-bad">{t.step.died}</span>}
        {cut && <span className="tag tag-bad">{t.step.cut}</span>}
        {outcome !== undefined && alive && <span className="tag">{labelOf(t.outcomes, outcome)}</span>}
      </h2>
      <p className="buyer-next" title={next?.text}>
        {next !== undefined && (
          <>
            <small>{next.isInFlight ? t.step.inFlight : t.step.next}</small> <code>{shortText(next)}</code>
          </>
        )}
      </p>
      {controls.map((control) => (
        <ChoiceButton key={control.choice} control={control} choose={choose} isLarge />
      ))}
    </section>
  );
}
