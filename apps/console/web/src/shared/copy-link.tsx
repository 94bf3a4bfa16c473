import { useState, type ReactNode } from 'react';
import { useTexts } from '../texts';

const SHOWN_MS = 1500;

/** Copies the address of the page. */
export function CopyLink(): ReactNode {
  const t = useTexts();
  const [isCopied, setCopied] = useState(false);
  return (
    <button
      type="button"
      className="quiet"
      onClick={() => {
        void navigator.clipboard.writeText(window.location.href).then(() => {
          setCopied(true);
          window.setTimeout(() => {
            setCopied(false);
          }, SHOWN_MS);
        });
      }}
    >
      {isCopied ? t.common.copied : t.common.copyLink}
    </button>
  );
}
