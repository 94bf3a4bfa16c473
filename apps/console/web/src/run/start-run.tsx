import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { api, problemOf } from '../api/client';
import { usePresets } from '../api/shared-lists';
import type { Preset, Problem, RunView } from '../api/types';
import { useClassroom } from '../classroom/classroom-gate';
import { ProblemMessage } from '../shared/problem-message';
import { useLanguage, useTexts } from '../texts';
import { RunForm } from './run-form';

/** One click on a preset, or a run of one's own. */
export function StartRun(): ReactNode {
  const t = useTexts();
  const { language } = useLanguage();
  const [search] = useSearchParams();
  const [, navigate] = useLocation();
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const open = (starting: Promise<RunView>): void => {
    setBusy(true);
    setProblem(undefined);
    starting.then(
      ({ job }) => {
        navigate(`/run/${job.id}`);
      },
      (error: unknown) => {
        setProblem(problemOf(error));
        setBusy(false);
      },
    );
  };
  return (
    <>
      {problem !== undefined && <ProblemMessage problem={problem} />}
      <Presets
        wanted={search.get('preset')}
        isBusy={isBusy}
        start={(name) => {
          open(api.startPreset(name, language));
        }}
      />
      <details className="panel" open={search.has('strategy')}>
        <summary>{t.run.own}</summary>
        <RunForm
          isBusy={isBusy}
          start={(body) => {
            open(api.startRun(body, language));
          }}
        />
      </details>
    </>
  );
}

function Presets({
  wanted,
  isBusy,
  start,
}: {
  wanted: string | null;
  isBusy: boolean;
  start: (name: string) => void;
}): ReactNode {
  const t = useTexts();
  const presets = usePresets() ?? [];
  const { isOpen, member } = useClassroom();
  const isStudent = isOpen && member?.isTeacher !== true;
  const refusalOf = ({ needs, isForTeacher }: Preset): string | undefined => {
    if (isStudent && isForTeacher) return t.run.forTeacher;
    return needs.length > 0 ? t.run.needs(needs.join(', ')) : undefined;
  };
  const more = presets.filter(({ group }) => group === 'more');
  const buttons = (list: readonly Preset[]): ReactNode => (
    <div className="presets">
      {list.map((preset) => (
        <PresetButton
          key={preset.name}
          preset={preset}
          isWanted={preset.name === wanted}
          isBusy={isBusy}
          refusal={refusalOf(preset)}
          start={start}
        />
      ))}
    </div>
  );
  return (
    <section aria-label={t.run.presets}>
      <h2>{t.run.presets}</h2>
      {buttons(presets.filter(({ group }) => group === 'demo'))}
      {more.length > 0 && (
        <details open={more.some(({ name }) => name === wanted)}>
          <summary>{t.run.more}</summary>
          {buttons(more)}
        </details>
      )}
    </section>
  );
}

/** `refusal`: why this browser cannot start it now. `isWanted`: a link leads to it, and it may be far below. */
function PresetButton({
  preset: { name, shows, inChinese },
  isWanted,
  isBusy,
  refusal,
  start,
}: {
  preset: Preset;
  isWanted: boolean;
  isBusy: boolean;
  refusal: string | undefined;
  start: (name: string) => void;
}): ReactNode {
  const t = useTexts();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isWanted) return;
    button.current?.scrollIntoView({ block: 'center' });
    button.current?.focus();
  }, [isWanted]);
  return (
    <button
      ref={button}
      type="button"
      className={isWanted ? 'preset preset-wanted' : 'preset'}
      disabled={isBusy}
      aria-disabled={refusal !== undefined}
      title={refusal}
      onClick={() => {
        if (refusal === undefined) start(name);
      }}
    >
      <strong>{name}</strong>
      <small>{refusal ?? t.said(shows, inChinese ?? shows)}</small>
    </button>
  );
}
