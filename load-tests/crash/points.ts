import type { HistoryLine, StepLine } from '#lab/step';

/** The step at which a replica is killed. */
export interface CrashPoint {
  readonly app: 'order' | 'inventory';
  readonly when: 'before' | 'after';
  /** The step in short: `COMMIT`, `UPDATE balance`, `SET lock:…`. */
  readonly step: string;
  /** The value of the `x-fault` header. */
  readonly fault: string;
}

/**
 * The crash points of an order: before and after each step that each app recorded while the order ran without a fault.
 * `request` is the id of that order.
 */
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
  const start = history.find(
    (line) => line.type === 'request' && line.request === request && line.app === app,
  );
  return history.filter(
    (line): line is StepLine =>
      line.type === 'step' &&
      line.request === request &&
      line.replica === start?.replica &&
      line.pid === start.pid &&
      line.kind !== 'timer',
  );
}

/** `after(…)` fires only after a successful reply, not after null, 0 or false: see libs/step/src/failpoint.ts. */
const isAnswered = ({ kind, reply }: StepLine): boolean =>
  (kind !== 'redis' && kind !== 'fs') || (reply !== null && reply !== 0 && reply !== false);

/** The step without parts that differ between orders. */
function inWords({ kind, verb, text, script }: StepLine): string {
  if (script !== undefined) return script;
  if (kind === 'http') return text.replace(/^POST \/(?:products\/[^/]+\/)?/, 'POST /').replace(/\?.*/, '');
  if (kind !== 'sql') return verb;
  const table = /^(?:INSERT (?:IGNORE )?INTO|UPDATE|DELETE FROM|SELECT .*? FROM) (\w+)/.exec(text)?.[1];
  const locks = text.includes('FOR UPDATE') ? ' FOR UPDATE' : '';
  return table === undefined ? text.split(' ').slice(0, 2).join(' ') : `${verb} ${table}${locks}`;
}
