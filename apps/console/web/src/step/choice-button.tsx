import { useId, type ReactNode } from 'react';
import type { Control } from '../api/types';
import { labelOf, useTexts, type Texts } from '../texts';
import { keysOf } from './keys';
import { reasonText } from './reasons';

/** A choice in words: `Step A`, `Kill 1`. */
export function choiceLabel(t: Texts, { kind, actor, process, server }: Control): string {
  if (kind === 'step') return t.step.step(actor ?? '');
  const subject = actor ?? process ?? server;
  return `${labelOf(t.kinds, kind)}${subject === undefined ? '' : ` ${subject}`}`;
}

/** A button of a choice with its keys. One that is not enabled stays focusable and says why. */
export function ChoiceButton({
  control,
  choose,
  isLarge = false,
}: {
  control: Control;
  choose: (control: Control) => void;
  isLarge?: boolean;
}): ReactNode {
  const t = useTexts();
  const id = useId();
  const reason = control.disabled === undefined ? undefined : reasonText(t, control.disabled);
  const help = t.faultHelp[control.kind];
  return (
    <span className={isLarge ? 'choice choice-large' : 'choice'}>
      <button
        type="button"
        aria-disabled={reason !== undefined}
        aria-describedby={id}
        aria-keyshortcuts={keysOf(control).join(' ')}
        title={reason ?? help}
        onClick={() => {
          choose(control);
        }}
      >
        <span>{choiceLabel(t, control)}</span>
        <span className="keys" aria-hidden="true">
          {keysOf(control).map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </span>
        {isLarge && reason !== undefined && (
          <small className="reason" aria-hidden="true">
            {reason}
          </small>
        )}
      </button>
      <span id={id} className="hidden">
        {reason ?? help}
      </span>
    </span>
  );
}
