import type { FaultName } from '#lab/verdict';

/** Maximum number of each fault in one schedule. */
export type Budget = Partial<Readonly<Record<FaultName, number>>>;

/** Every fault that a budget may contain, with its description. */
export const FAULTS: Readonly<Record<Exclude<FaultName, 'resume'>, string>> = {
  lapse: 'time advances to the end of a lease; timers that are due earlier fire first',
  kill: 'a process dies; the database rolls back, Redis keeps its keys',
  pause: 'a process and its timers are paused until after its lease, then it resumes',
  tick: 'time advances to the next timer; its steps are interleaved with the others',
  slow: 'the work takes longer than the lease; timers keep running',
  overrun: 'a step takes longer than any watchdog renews; timers keep running',
  cut: 'a process is cut off from Redis; it still reaches the database',
  'in-flight': 'a process dies; a statement that it has sent is executed later',
  'lose-reply': 'one command is executed, its reply is lost',
  error: 'one command fails without being executed',
  flush: 'a Redis restarts empty',
  'lost-session':
    'the database ends the sessions of a process: it rolls back transactions and releases named locks',
  'server-down': 'one of several servers of a strategy is unreachable for all processes',
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
