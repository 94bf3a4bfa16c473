import { FAULTS, type FaultName } from '#lab/strategy';

/** Maximum number of each fault in one schedule. */
export type Budget = Partial<Readonly<Record<FaultName, number>>>;

export class FaultsSyntaxError extends Error {
  readonly code = 'EXPLORE.FAULTS';

  constructor(text: string, why: string) {
    super(
      `cannot read the faults "${text}": ${why}. Write name:times, separated by commas, for example lapse:1,kill:1; ` +
        `names: ${Object.keys(FAULTS).join(', ')}`,
    );
    this.name = 'FaultsSyntaxError';
  }
}

/** Reads `lapse:1,kill:1`; a name alone means once. */
export function parseBudget(text: string): Budget {
  const budget: Partial<Record<FaultName, number>> = {};
  for (const part of text.split(',').filter((piece) => piece.trim() !== '')) {
    const [name = '', times = '1', ...rest] = part.trim().split(':');
    if (!(name in FAULTS)) throw new FaultsSyntaxError(text, `there is no fault "${name}"`);
    if (rest.length > 0 || !/^[1-9]$/.test(times)) throw new FaultsSyntaxError(text, 'times is 1 to 9');
    budget[name as FaultName] = Number(times);
  }
  return budget;
}

/** One of these faults is left. */
export const isLeft = (budget: Budget, ...faults: readonly FaultName[]): boolean =>
  faults.some((fault) => (budget[fault] ?? 0) > 0);

/** No fault is left. */
export const isSpent = (budget: Budget): boolean => Object.values(budget).every((n) => n === 0);

export const budgetText = (budget: Budget): string =>
  Object.entries(budget)
    .map(([name, times]) => `${name}:${times}`)
    .join(',');

/** Virtual duration of the work in the critical section, milliseconds: only a schedule with work can prolong it. */
export const workMsFor = ({ slow = 0 }: Budget): number => (slow > 0 ? 10_000 : 0);
