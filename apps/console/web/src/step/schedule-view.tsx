import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { Control, Problem, StepView } from '../api/types';
import { GoalLine } from '../lessons/goal-line';
import { useStepGoal } from '../lessons/use-goals';
import { CopyLink } from '../shared/copy-link';
import { ProblemMessage } from '../shared/problem-message';
import { usePageTitle } from '../shell/page-title';
import { useTexts } from '../texts';
import { BuyerHead } from './buyer-head';
import { choiceLabel } from './choice-button';
import { FaultBar } from './fault-bar';
import { keysOf, useKeys } from './keys';
import { Outcome } from './outcome';
import { reasonText } from './reasons';
import { SourcePanel } from './source-panel';
import { StatePanel } from './state-panel';
import { Timeline } from './timeline';
import { useSchedule, type Schedule } from './use-schedule';

/** A schedule that the reader makes: buyers, events, faults; beside them the state and the source. */
export function ScheduleView({ token }: { token: string }): ReactNode {
  const t = useTexts();
  const schedule = useSchedule(token);
  const { view, problem, play } = schedule;
  usePageTitle(view?.strategy);
  if (view === undefined)
    return (
      <div className="page">
        {problem === undefined ? (
          <p role="status">{t.common.loading}</p>
        ) : (
          <TokenProblem problem={problem} play={play} token={token} />
        )}
      </div>
    );
  return <Board view={view} schedule={schedule} />;
}

/** The address is wrong, or of another strategy: the same request would be refused again. */
const isFinal = ({ status, code }: Problem): boolean => status === 400 || code === 'EXPLORE.NO_LONGER';

/** The schedule cannot be played: what is left of it, or a new one. */
function TokenProblem({
  problem,
  play,
  token,
}: {
  problem: Problem;
  play: (token: string) => void;
  token: string;
}): ReactNode {
  const t = useTexts();
  const rest = (problem.errors as { token?: unknown } | undefined)?.token;
  return (
    <ProblemMessage problem={problem}>
      <p className="actions">
        {problem.code === 'EXPLORE.NO_LONGER' && typeof rest === 'string' ? (
          <Link className="button primary" href={`/step/${rest}`} replace>
            {t.step.wayBack}
          </Link>
        ) : (
          !isFinal(problem) && (
            <button
              type="button"
              onClick={() => {
                play(token);
              }}
            >
              {t.common.retry}
            </button>
          )
        )}
        <Link className="button" href="/step">
          {t.step.startAgain}
        </Link>
      </p>
    </ProblemMessage>
  );
}

const isOfBuyer = ({ kind }: Control): boolean =>
  kind === 'step' || kind === 'timer-step' || kind === 'arrival';

function Board({ view, schedule }: { view: StepView; schedule: Schedule }): ReactNode {
  const { problem, isBusy, play } = schedule;
  const { pending, message, choose } = useChoices(view, schedule);
  const goal = useStepGoal(view, schedule.isMadeHere);
  return (
    <div
      className={view.isOver ? 'board board-over' : 'board'}
      data-buyers={view.actors.length}
      aria-busy={isBusy}
    >
      <Head view={view} schedule={schedule} />
      <div className="board-left">
        <Outcome view={view} />
        {problem !== undefined && <TokenProblem problem={problem} play={play} token={view.token} />}
        <div className="lanes">
          <div className="buyers">
            {view.actors.map((actor) => (
              <BuyerHead
                key={actor.name}
                actor={actor}
                choose={choose}
                controls={view.controls.filter(
                  (control) => isOfBuyer(control) && control.actor === actor.name,
                )}
              />
            ))}
          </div>
          <Timeline
            actors={view.actors.map(({ name }) => name)}
            events={view.events}
            violations={view.violations}
          />
        </div>
        {!view.isOver && <FaultBar controls={view.controls} choose={choose} />}
        <div className="board-foot">
          {goal !== undefined && <GoalLine {...goal} />}
          <p className="key-message" role="status">
            {pending ?? message}
          </p>
        </div>
      </div>
      <aside className="board-right">
        <StatePanel view={view} />
        <SourcePanel view={view} />
      </aside>
    </div>
  );
}

/** Buttons and keys make the same choices; one that is not enabled says why. */
function useChoices(
  view: StepView,
  { choose: make, undo, forward, restart, finish, isBusy }: Schedule,
): {
  readonly pending: string | undefined;
  readonly message: string;
  readonly choose: (control: Control) => void;
} {
  const t = useTexts();
  const [refused, setRefused] = useState<{ token: string; text: string }>();
  const choose = (control: Control): void => {
    // while a choice is being made, the next one is judged when the state is known
    if (control.disabled === undefined || isBusy) {
      setRefused(undefined);
      make(control.choice);
    } else
      setRefused({
        token: view.token,
        text: t.step.notPossible(choiceLabel(t, control), reasonText(t, control.disabled)),
      });
  };
  const pending = useKeys(
    (first) =>
      view.controls.some((control) => {
        const keys = keysOf(control);
        return keys.length > 1 && keys[0] === first;
      }),
    (keys) => {
      const matching = view.controls.filter((control) => keysOf(control).join(' ') === keys);
      const control = matching.find(({ disabled }) => disabled === undefined) ?? matching[0];
      if (control !== undefined) choose(control);
      else if (keys === 'u') undo();
      else if (keys === 'y') forward?.();
      else if (keys === 'r') restart();
      else if (keys === 'z' && !view.isOver) finish();
      else if (keys.includes(' ')) setRefused({ token: view.token, text: t.step.noSuchChoice(keys) });
    },
  );
  return {
    pending: pending === undefined ? undefined : t.step.pressed(pending),
    message: refused?.token === view.token ? refused.text : '',
    choose,
  };
}

function Head({
  view,
  schedule: { isBusy, undo, forward, restart, finish },
}: {
  view: StepView;
  schedule: Schedule;
}): ReactNode {
  const t = useTexts();
  const actors = view.actors.map(({ process }) => process).join('');
  const explore = new URLSearchParams({
    strategy: view.strategy,
    actors,
    stock: String(view.stock),
    ...Object.fromEntries(Object.entries(view.options).map(([name, value]) => [name, String(value)])),
  });
  return (
    <div className="board-head">
      <h1>
        <Link href={`/catalogue/${view.strategy}`}>{view.strategy}</Link>
        <small>
          {t.step.actors[actors] ?? actors} · {t.common.stock} {view.stock} · {t.step.choices(view.choices)}
          {isBusy && ` · ${t.step.busy}`}
        </small>
      </h1>
      <div className="actions">
        <HeadButton label={t.step.undo} shortcut="u" isEnabled={view.undo !== undefined} act={undo} />
        <HeadButton
          label={t.step.forward}
          shortcut="y"
          hint={t.step.forwardHint}
          isEnabled={forward !== undefined}
          act={() => forward?.()}
        />
        <HeadButton label={t.step.restart} shortcut="r" isEnabled act={restart} />
        <HeadButton
          label={t.step.finish}
          shortcut="z"
          hint={t.step.finishHint}
          isEnabled={!view.isOver}
          act={finish}
        />
        <Link className="button" href={`/explore?${explore.toString()}`} title={t.step.cannotHint}>
          {t.step.cannot}
        </Link>
        <CopyLink />
        <Link className="button quiet" href="/step">
          {t.step.change}
        </Link>
      </div>
    </div>
  );
}

/** A button with its key. It keeps the focus when its own action leaves nothing more to do. */
function HeadButton({
  label,
  shortcut,
  hint,
  isEnabled,
  act,
}: {
  label: string;
  shortcut: string;
  hint?: string;
  isEnabled: boolean;
  act: () => void;
}): ReactNode {
  return (
    <button
      type="button"
      aria-keyshortcuts={shortcut}
      aria-disabled={!isEnabled}
      title={hint}
      onClick={isEnabled ? act : undefined}
    >
      {label}
      <kbd>{shortcut}</kbd>
    </button>
  );
}
