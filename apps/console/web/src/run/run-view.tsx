import { useEffect, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { api, reportOf } from '../api/client';
import { useStrategies } from '../api/shared-lists';
import type { Problem, RunView as View } from '../api/types';
import { useEvents } from '../api/use-events';
import { useLoaded } from '../api/use-loaded';
import { GoalLine } from '../lessons/goal-line';
import { useRunGoal } from '../lessons/use-goals';
import { CopyLink } from '../shared/copy-link';
import { isOver, JobState } from '../shared/job-state';
import { isAbsent, NotFound } from '../shared/not-found';
import { ProblemMessage } from '../shared/problem-message';
import { usePageTitle } from '../shell/page-title';
import { labelOf, useLanguage, useTexts } from '../texts';
import { optionValue } from '../shared/strategy-options';
import { LiveLanes } from './live-lanes';
import { LiveView } from './live-view';
import { Report } from './report';
import { VerdictView } from './verdict-view';

/** A run of this console: live, then its verdict and report. */
export function RunView({ id, children }: { id: string; children?: ReactNode }): ReactNode {
  const t = useTexts();
  const { language } = useLanguage();
  const { view, problem, replace } = useRun(id);
  const strategies = useStrategies();
  const goal = useRunGoal(view);
  usePageTitle(view?.title);
  if (view === undefined)
    return problem === undefined ? (
      <p>{t.common.loading}</p>
    ) : isAbsent(problem) ? (
      <NotFound text={t.run.gone} href="/run" back={t.run.again} />
    ) : (
      <ProblemMessage problem={problem}>
        <Link href="/run">{t.run.again}</Link>
      </ProblemMessage>
    );
  const { job, title, plan, verdict } = view;
  const used = strategies?.find(({ name }) => name === plan.strategy)?.options ?? [];
  return (
    <article className="run" aria-label={title}>
      <div className="detail-head">
        <h1>{title}</h1>
        <div className="actions run-actions">
          {children}
          <CopyLink />
        </div>
      </div>
      <p className="muted">
        <Link href={`/catalogue/${plan.strategy}`}>{plan.strategy}</Link> ·{' '}
        {t.run.plan(plan.stock, plan.connections, plan.requests, plan.replicas)}
        {Object.entries(plan.options)
          .filter(([name, value]) => used.includes(name) && value !== 0)
          .map(([name, value]) => ` · ${labelOf(t.options, name)}: ${optionValue(t, value)}`)}
        {plan.fault !== undefined && (
          <>
            {' '}
            · <code>{plan.fault}</code>
          </>
        )}
      </p>
      {job.state !== 'done' && <JobState job={job} cancel={() => api.cancelRun(id).then(replace)} />}
      <div aria-live="assertive">{verdict !== undefined && <VerdictView verdict={verdict} />}</div>
      {verdict !== undefined && goal !== undefined && <GoalLine {...goal} />}
      {view.samples.length > 0 && <LiveView view={view} />}
      {job.state === 'running' && <LiveLanes id={id} />}
      {verdict !== undefined && <Report address={reportOf(id, language)} />}
    </article>
  );
}

function useRun(id: string): {
  view: View | undefined;
  problem: Problem | undefined;
  replace: (view: View) => void;
} {
  const [view, setView] = useState<View>();
  const { value, problem } = useLoaded(`run ${id}`, () => api.run(id));
  useEffect(() => {
    if (value !== undefined) setView(value);
  }, [value]);
  useEvents(view === undefined || isOver(view.job) ? undefined : `runs/${id}/events`, (event) => {
    setView((before) => {
      if (before === undefined) return before;
      if (!('sample' in event)) return { ...before, ...event };
      const { samples } = before;
      // a stream that was opened again begins with samples that are known
      return event.sample.atMs > (samples.at(-1)?.atMs ?? -1)
        ? { ...before, samples: [...samples, event.sample] }
        : before;
    });
  });
  return { view, problem, replace: setView };
}
