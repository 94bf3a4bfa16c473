import { useState, type ReactNode } from 'react';
import { useTexts } from '../texts';

const SHOWN_MS = 1500;

/** Copies the address of the page. Where the browser does not allow this, shows the address, selected. */
export function CopyLink(): ReactNode {
  const t = useTexts();
  const [isCopied, setCopied] = useState(false);
  const [isShown, setShown] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      // there is no clipboard over http, except on this machine
      await navigator.clipboard.writeText(window.location.href);
    } catch {
      setShown(true);
      return;
    }
    setCopied(true);
    window.setTimeout(() => {
      setCopied(false);
    }, SHOWN_MS);
  };
  if (isShown)
    return (
      <label className="copy-address">
        <small>{t.common.copyAddress}</small>
        <input
          readOnly
          autoFocus
          value={window.location.href}
          onFocus={({ target }) => {
            target.select();
          }}
          onBlur={() => {
            setShown(false);
          }}
        />
      </label>
    );
  return (
    <button type="button" className="quiet" onClick={() => void copy()}>
      {isCopied ? t.common.copied : t.common.copyLink}
    </button>
  );
}
