import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useTexts } from '../texts';

/** A button of an action that nothing undoes: it asks for a confirmation first, which has the focus. */
export function ConfirmedAction({
  label,
  confirm,
  isPossible = true,
  act,
}: {
  label: string;
  /** Says what the confirmation does. */
  confirm: string;
  isPossible?: boolean;
  act: () => void;
}): ReactNode {
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
        aria-disabled={!isPossible} // and focusable: it gets the focus after the action
        onClick={() => {
          setAsking(!isAsking && isPossible);
        }}
      >
        {label}
      </button>
      {isAsking && <Confirmation label={label} confirm={confirm} act={act} close={close} />}
    </>
  );
}

function Confirmation({
  label,
  confirm,
  act,
  close,
}: {
  label: string;
  confirm: string;
  act: () => void;
  close: () => void;
}): ReactNode {
  const t = useTexts();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    button.current?.focus();
  }, []);
  return (
    <span
      className="actions"
      role="group"
      aria-label={label}
      onKeyDown={({ key }) => {
        if (key === 'Escape') close();
      }}
    >
      <button
        ref={button}
        type="button"
        onClick={() => {
          act();
          close();
        }}
      >
        {confirm}
      </button>
      <button type="button" onClick={close}>
        {t.common.keep}
      </button>
    </span>
  );
}
