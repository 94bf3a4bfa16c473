import { useRef, useState, type ReactNode } from 'react';
import type { Control } from '../api/types';
import { useTexts } from '../texts';
import { ChoiceButton } from './choice-button';

/** Faults that a beginner meets first; the others are shown on demand. */
const MAIN: ReadonlySet<string> = new Set(['lapse', 'tick', 'kill', 'pause', 'resume']);
const OF_BUYERS: ReadonlySet<string> = new Set(['step', 'timer-step', 'arrival']);
const STORED = 'step-more';

/** Everything but the steps of the buyers: time, processes, servers, commands. */
export function FaultBar({
  controls,
  choose,
}: {
  controls: readonly Control[];
  choose: (control: Control) => void;
}): ReactNode {
  const t = useTexts();
  const [isOpen, setOpen] = useState(() => localStorage.getItem(STORED) !== null);
  const opener = useRef<HTMLButtonElement>(null);
  const show = (isShown: boolean): void => {
    setOpen(isShown);
    if (isShown) localStorage.setItem(STORED, 'open');
    else localStorage.removeItem(STORED);
  };
  const faults = controls.filter(({ kind }) => !OF_BUYERS.has(kind));
  const main = faults.filter(({ kind }) => MAIN.has(kind));
  const others = faults.filter(({ kind }) => !MAIN.has(kind));
  const button = (control: Control): ReactNode => (
    <ChoiceButton key={control.choice} control={control} choose={choose} />
  );
  return (
    <section
      className="faults"
      aria-label={t.step.faults}
      onKeyDown={({ key }) => {
        if (key !== 'Escape' || !isOpen) return;
        show(false);
        opener.current?.focus();
      }}
    >
      <div className="faults-main">
        {byTime(main).map(button)}
        <button
          ref={opener}
          type="button"
          className="quiet"
          aria-expanded={isOpen}
          onClick={() => {
            show(!isOpen);
          }}
        >
          {t.step.more}
        </button>
      </div>
      {isOpen && <div className="faults-more">{others.map(button)}</div>}
    </section>
  );
}

/** Time first: it concerns all processes. */
const byTime = (controls: readonly Control[]): Control[] => [
  ...controls.filter(({ process }) => process === undefined),
  ...controls.filter(({ process }) => process !== undefined),
];
