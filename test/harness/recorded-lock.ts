import { lockCommandNamed, lockEffect, requestedEffect, INSPECTS, type LockEffect } from '#lab/step';
import '#lab/strategy'; // declares the scripts

/** The fields of a step that a test gives. */
interface GivenStep {
  readonly kind?: string | undefined;
  readonly verb?: string | undefined;
  readonly script?: string | undefined;
  readonly key?: string | undefined;
  readonly reply?: unknown;
  readonly error?: string | undefined;
  readonly lock?: LockEffect | undefined;
}

/** What the recorder writes about a step on a lock in Redis: nothing for other steps, or if the test gives it itself. */
export function recordedLock(step: GivenStep): { lock?: LockEffect } {
  const { kind, verb = '', script, key, reply, lock } = step;
  if (lock !== undefined || kind !== 'redis' || key?.startsWith('lock:') !== true) return {};
  const command = lockCommandNamed(script ?? verb) ?? INSPECTS;
  return { lock: 'reply' in step ? lockEffect(command, reply) : requestedEffect(command) };
}
