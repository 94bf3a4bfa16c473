import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { api } from '../api/client';
import type { RunList } from '../api/types';
import { useLoaded } from '../api/use-loaded';
import { useLanguage, useTexts, type Texts } from '../texts';
import { bigWords } from './verdict-words';

/** Chooses the run to show beside this one. */
export function Compare({ id }: { id: string }): ReactNode {
  const t = useTexts();
  const { language } = useLanguage();
  const [, navigate] = useLocation();
  const { value } = useLoaded('runs', api.runs);
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
      {value !== undefined &&
        comparable(value, id).map((run) => (
          <option key={run.id} value={run.id}>
            {textOf(t, run, language)}
          </option>
        ))}
    </select>
  );
}

interface Comparable {
  readonly id: string;
  readonly folder?: string | undefined;
  readonly name: string;
  /** Empty: the owner is not known, or there is no class. */
  readonly by: string;
  readonly at: string;
  readonly verdict?: RunList['past'][number]['verdict'];
  readonly state?: RunList['current'][number]['job']['state'];
}

/** Each run but this one, once: a run of this console that has ended has a folder, too. */
function comparable({ current, past }: RunList, id: string): Comparable[] {
  const known = new Set(current.map(({ folder }) => folder));
  const runs: Comparable[] = [
    ...current.map(({ job, title, ...run }) => ({ ...run, id: job.id, name: title, state: job.state })),
    ...past.filter(({ folder }) => !known.has(folder)).map((run) => ({ ...run, id: run.folder, by: '' })),
  ];
  return runs.filter((run) => run.id !== id && run.folder !== id).sort((a, b) => b.at.localeCompare(a.at));
}

function textOf(t: Texts, { name, by, at, verdict, state }: Comparable, language: string): string {
  const result =
    verdict !== undefined ? bigWords(t, verdict) : state === undefined ? '?' : stateText(t, state);
  const time = new Date(at).toLocaleString(language);
  return [name, result, time, ...(by === '' ? [] : [by])].join(' · ');
}

const stateText = (t: Texts, state: NonNullable<Comparable['state']>): string =>
  state === 'queued' ? t.run.waiting : t.run[state];
