import type { ReactNode } from 'react';
import { api, reportOfFolder } from '../api/client';
import { useLoaded } from '../api/use-loaded';
import { usePageTitle } from '../shell/page-title';
import { useLanguage, useTexts } from '../texts';
import { isAbsent, NotFound } from '../shared/not-found';
import { Report } from './report';
import { VerdictView } from './verdict-view';

/** A run folder, also of the command line: its verdict and report. */
export function PastRunView({ folder, children }: { folder: string; children?: ReactNode }): ReactNode {
  const t = useTexts();
  const { language } = useLanguage();
  const { value } = useLoaded('runs', api.runs);
  const { problem } = useLoaded(`report ${folder}`, () => api.hasReport(folder));
  const run = value?.past.find((one) => one.folder === folder);
  usePageTitle(run?.name ?? folder);
  if (problem !== undefined && isAbsent(problem))
    return <NotFound text={t.run.noFolder} href="/run" back={t.run.again} />;
  return (
    <article className="run">
      <div className="detail-head">
        <h1>{run?.name ?? folder}</h1>
        <div className="actions run-actions">{children}</div>
      </div>
      {run !== undefined && <p className="muted">{new Date(run.at).toLocaleString(language)}</p>}
      {run?.verdict !== undefined && <VerdictView verdict={run.verdict} />}
      <p className="muted">
        {t.run.folder} <code>runs/{folder}</code>
      </p>
      <Report address={reportOfFolder(folder, language)} />
    </article>
  );
}
