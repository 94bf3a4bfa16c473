import type { StepEvent } from './history';

/** Whether a request for a named lock of the database obtained it: its reply is 1. Undefined: the step is none, or has no answer. */
export function obtainsNamedLock({ text, reply }: Pick<StepEvent, 'text' | 'reply'>): boolean | undefined {
  if (!/\bGET_LOCK\b/i.test(text) || !Array.isArray(reply) || reply.length === 0) return undefined;
  return reply.some((row) => Object.values(row as object).some((value) => Number(value) === 1));
}
