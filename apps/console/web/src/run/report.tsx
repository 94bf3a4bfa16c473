import type { ReactNode } from 'react';
import { useTexts } from '../texts';

/** Hides what the page shows itself, and gives the report its whole height. */
function embed({ currentTarget: frame }: { readonly currentTarget: HTMLIFrameElement }): void {
  const root = frame.contentDocument?.documentElement;
  if (root === undefined) return;
  root.classList.add('embedded');
  frame.style.height = `${root.scrollHeight + 2}px`;
}

/** The report of a run folder: lanes per replica, faults, outcomes, latencies. */
export function Report({ address }: { address: string }): ReactNode {
  const t = useTexts();
  return (
    <section className="report">
      <div className="detail-head">
        <h2>{t.run.report}</h2>
        <a className="button" href={address} target="_blank" rel="noreferrer">
          {t.run.openReport}
        </a>
      </div>
      <iframe src={address} title={t.run.report} onLoad={embed} />
    </section>
  );
}
