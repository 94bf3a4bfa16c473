import { count, type HistoryLine, type StepLine } from '#lab/step';
import type { GuardRow } from './rows';

/** What tells the guards of a use apart besides violations: by name, with unit. */
export function figuresOf(
  { guard, fault, isDuringRestart }: GuardRow,
  history: readonly HistoryLine[],
  effects: number,
): Readonly<Record<string, string>> {
  const steps = history.filter((line) => line.type === 'step');
  if (guard.name.startsWith('order-number/') && fault === 'none')
    return { 'numbers per call': (effects / Math.max(1, steps.filter(asksForNumbers).length)).toFixed(1) };
  const takenOverMs = isDuringRestart === true ? takeOverMs(history, steps) : undefined;
  return takenOverMs === undefined ? {} : { 'take-over': count(Math.round(takenOverMs), 'millisecond') };
}

/** Every call to a server but the one that records the number of an order. */
const asksForNumbers = ({ kind, text }: StepLine): boolean =>
  (kind === 'redis' || kind === 'sql') && !text.startsWith('INSERT INTO order_number');

/** Milliseconds from the death of the leader until the next entry was written. */
function takeOverMs(history: readonly HistoryLine[], steps: readonly StepLine[]): number | undefined {
  const death = history.find(({ type }) => type === 'fault');
  if (death === undefined) return undefined;
  const written = steps
    .filter(
      ({ verb, t, error, pending }) => verb === 'INSERT' && !pending && error === undefined && t > death.t,
    )
    .map(({ t, took }) => t + took);
  return written.length === 0 ? undefined : (Math.min(...written) - death.t) / 1000;
}
