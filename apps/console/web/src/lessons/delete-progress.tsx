import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useTexts } from '../texts';
import { forgetGoals } from './progress';

/** Deletes the reached goals of this browser, after a confirmation: nothing restores them. */
export function DeleteProgress({ count }: { count: number }): ReactNode {
  const t = useTexts();
  const [isAsking, setAsking] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setAsking(false);
    opener.current?.focus();
  };
  return (
    <>
      <button
        ref={opener}
        type="button"
        className="quiet"
        aria-expanded={isAsking}
        aria-disabled={count === 0} // and focusable: it gets the focus after the deletion
        onClick={() => {
          setAsking(!isAsking && count > 0);
        }}
      >
        {t.lessons.reset}
      </button>
      {isAsking && <Confirmation count={count} close={close} />}
    </>
  );
}

function Confirmation({ count, close }: { count: number; close: () => void }): ReactNode {
  const t = useTexts();
  const confirm = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    confirm.current?.focus();
  }, []);
  return (
    <span
      className="actions"
      role="group"
      aria-label={t.lessons.reset}
      onKeyDown={({ key }) => {
        if (key === 'Escape') close();
      }}
    >
      <button
        ref={confirm}
        type="button"
        onClick={() => {
          forgetGoals();
          close();
        }}
      >
        {t.lessons.deleteGoals(count)}
      </button>
      <button type="button" onClick={close}>
        {t.lessons.keep}
      </button>
    </span>
  );
}
