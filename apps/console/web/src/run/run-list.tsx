import { useEffect, type ReactNode } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client';
import type { RunVerdict } from '../api/types';
import { useLoaded } from '../api/use-loaded';
import { ProblemMessage } from '../shared/problem-message';
import { useLanguage, useTexts } from '../texts';
import { QueueList } from './queue-list';
import { bigWords, markOf } from './verdict-words';

const POLL_MS = 3000;

/** The jobs of this console that are not over, and the run folders, colored by verdict. */
export function RunList(): ReactNode {
  const t = useTexts();
  const { value, problem, reload } = useLoaded('runs', api.runs);
  const queue = useLoaded('jobs', api.jobs);
  useEffect(() => {
    const timer = window.setInterval(() => {
      reload();
      queue.reload();
    }, POLL_MS);
    return () => {
      window.clearInterval(timer);
    };
  }, []);
  const waiting = queue.value?.jobs ?? [];
  return (
    <>
      {problem !== undefined && value === undefined && <ProblemMessage problem={problem} />}
      {waiting.length > 0 && <QueueList jobs={waiting} changed={queue.reload} />}
      <section>
        <h2>{t.run.past}</h2>
        {value?.past.length === 0 && <p className="muted">{t.run.noPast}</p>}
        <ul className="run-list">
          {value?.past.map(({ folder, name, at, verdict }) => (
            <PastLine key={folder} folder={folder} name={name} at={at} verdict={verdict} />
          ))}
        </ul>
      </section>
    </>
  );
}

function PastLine({
  folder,
  name,
  at,
  verdict,
}: {
  folder: string;
  name: string;
  at: string;
  verdict: RunVerdict | undefined;
}): ReactNode {
  const t = useTexts();
  const { language } = useLanguage();
  const mark = verdict === undefined ? 'unknown' : markOf(verdict);
  return (
    <li>
      <Link href={`/run/${encodeURIComponent(folder)}`} className={`past-${mark}`}>
        <strong>{name}</strong>
        <span className={`mark mark-${mark}`}>{verdict === undefined ? '?' : bigWords(t, verdict)}</span>
        <small>{new Date(at).toLocaleString(language)}</small>
      </Link>
    </li>
  );
}
