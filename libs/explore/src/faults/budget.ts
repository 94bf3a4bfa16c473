import type { FaultName } from '#lab/verdict';

/** How often each fault may happen in one schedule. */
export type Budget = Partial<Readonly<Record<FaultName, number>>>;

/** Every fault that can be asked for, with what it means. */
export const FAULTS: Readonly<Record<Exclude<FaultName, 'resume'>, string>> = {
  lapse: 'time moves to the end of a lease; timers that are due earlier run first',
  kill: 'a process dies; the database rolls back, Redis keeps its keys',
  pause: 'a process stands still until after its lease, timers too; it goes on later',
  tick: 'time moves to the next timer; its steps take part in the order',
  slow: 'the work takes longer than the lease; the process is well',
  overrun: 'a step takes longer than any watchdog renews; the process is well',
  cut: 'a process loses Redis and keeps the database',
  'in-flight': 'a process dies; the statement that it had sent runs later',
  'lose-reply': 'one command is executed, its reply is lost',
  error: 'one command fails without being executed',
  flush: 'a Redis restarts empty',
  'lost-session':
    'the database ends the sessions of a process: transactions are rolled back, named locks are free',
  'server-down': 'one of the several servers of a strategy is lost to everybody',
};

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

export const budgetText = (budget: Budget): string =>
  Object.entries(budget)
    .map(([name, times]) => `${name}:${times}`)
    .join(',');
