import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useTexts } from '../texts';
import { Compare } from './compare';
import { PastRunView } from './past-run-view';
import { RunList } from './run-list';
import { RunView } from './run-view';
import { StartRun } from './start-run';
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
