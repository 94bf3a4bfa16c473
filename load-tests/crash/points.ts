import type { HistoryLine, StepLine } from '#lab/step';

/** Where a replica is killed. */
export interface CrashPoint {
  readonly app: 'order' | 'inventory';
  readonly when: 'before' | 'after';
  /** What the step is, in one line: `COMMIT`, `UPDATE balance`, `SET lock:…`. */
  readonly step: string;
  /** As the `x-fault` header says it. */
  readonly fault: string;
}

/** Every step of an undisturbed order, as it was recorded: each app is killed before and after each of its own. */
export function crashPoints(history: readonly HistoryLine[], request: string): CrashPoint[] {
  return (['order', 'inventory'] as const).flatMap((app) => {
    const steps = stepsOf(history, request, app);
    return steps.flatMap((step, i) => {
      const name = step.script ?? step.verb;
      const same = steps.slice(0, i).filter((other) => (other.script ?? other.verb) === name);
      const point = (when: CrashPoint['when'], seen: number): CrashPoint => ({
        app,
        when,
        step: inWords(step),
        fault: `${app}:${when}(${name}#${seen + 1})=kill`,
      });
      const before = point('before', same.length);
      return isAnswered(step) ? [before, point('after', same.filter(isAnswered).length)] : [before];
    });
  });
}

function stepsOf(history: readonly HistoryLine[], request: string, app: string): StepLine[] {
  const begun = history.find(
    (line) => line.type === 'request' && line.request === request && line.app === app,
  );
  return history.filter(
    (line): line is StepLine =>
      line.type === 'step' &&
      line.request === request &&
      line.replica === begun?.replica &&
      line.pid === begun.pid &&
      line.kind !== 'timer',
  );
}

/** `after(…)` means a reply that is no "no": see libs/step/src/failpoint.ts. */
const isAnswered = ({ kind, reply }: StepLine): boolean =>
  (kind !== 'redis' && kind !== 'fs') || (reply !== null && reply !== 0 && reply !== false);

/** Without what differs from order to order. */
function inWords({ kind, verb, text, script }: StepLine): string {
  if (script !== undefined) return script;
  if (kind === 'http') return text.replace(/^POST \/(?:products\/[^/]+\/)?/, 'POST /').replace(/\?.*/, '');
  if (kind !== 'sql') return verb;
  const table = /^(?:INSERT (?:IGNORE )?INTO|UPDATE|DELETE FROM|SELECT .*? FROM) (\w+)/.exec(text)?.[1];
  const locks = text.includes('FOR UPDATE') ? ' FOR UPDATE' : '';
  return table === undefined ? text.split(' ').slice(0, 2).join(' ') : `${verb} ${table}${locks}`;
}
