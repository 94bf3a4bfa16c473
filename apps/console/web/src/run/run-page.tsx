import type { ReactNode } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { api } from '../api/client';
import { useLoaded } from '../api/use-loaded';
import { useTexts } from '../texts';
import { PastRunView } from './past-run-view';
import { RunList } from './run-list';
import { RunView } from './run-view';
import { StartRun } from './start-run';
import { bigWords } from './verdict-words';
import '../styles/jobs.css';
import '../styles/run.css';

/** A run of this console has an id; a run folder begins with its time. */
const isFolder = (id: string): boolean => id.includes('T');

export function RunPage({ id }: { id: string | undefined }): ReactNode {
  const t = useTexts();
  return id === undefined ? (
    <div className="page">
      <h1>{t.run.title}</h1>
      <p className="intro">{t.run.intro}</p>
      <StartRun />
      <RunList />
    </div>
  ) : (
    <Runs id={id} />
  );
}

/** One run, or two side by side: the second is named in the address. */
function Runs({ id }: { id: string }): ReactNode {
  const t = useTexts();
  const [search] = useSearchParams();
  const beside = search.get('beside');
  const ids = [id, ...(beside === null ? [] : [beside])];
  const actions = (
    <>
      <Link className="button" href="/run">
        ← {t.run.again}
      </Link>
      {beside === null ? (
        <Compare id={id} />
      ) : (
        <Link className="button" href={`/run/${id}`}>
          {t.run.alone}
        </Link>
      )}
    </>
  );
  return (
    <div className="page run-page">
      <div className="runs" data-count={ids.length}>
        {ids.map((one, i) => {
          const children = i === 0 && actions;
          return isFolder(one) ? (
            <PastRunView key={one} folder={one}>
              {children}
            </PastRunView>
          ) : (
            <RunView key={one} id={one}>
              {children}
            </RunView>
          );
        })}
      </div>
    </div>
  );
}

/** Chooses the run to show beside this one. */
function Compare({ id }: { id: string }): ReactNode {
  const t = useTexts();
  const [, navigate] = useLocation();
  const { value } = useLoaded('runs', api.runs);
  const choices = [
    ...(value?.current ?? []).map(({ job, title, verdict }) => ({
      id: job.id,
      text: `${title} · ${verdict === undefined ? t.run[job.state === 'queued' ? 'running' : job.state] : bigWords(t, verdict)}`,
    })),
    ...(value?.past ?? []).map(({ folder, name, verdict }) => ({
      id: folder,
      text: `${name} · ${verdict === undefined ? '?' : bigWords(t, verdict)}`,
    })),
  ].filter((choice) => choice.id !== id);
  return (
    <select
      aria-label={t.run.compare}
      value=""
      onChange={({ target }) => {
        navigate(`/run/${id}?beside=${encodeURIComponent(target.value)}`);
      }}
    >
      <option value="">
        {t.run.compare}: {t.run.chooseRun}
      </option>
      {choices.map((choice) => (
        <option key={choice.id} value={choice.id}>
          {choice.text}
        </option>
      ))}
    </select>
  );
}
