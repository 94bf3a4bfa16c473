import type { ReactNode } from 'react';
import { useTexts } from '../texts';

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
      <iframe src={address} title={t.run.report} />
    </section>
  );
}
