import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import * as timersPromises from 'node:timers/promises';
import { promisify } from 'node:util';
import { RealmTimers } from './realm-timers';

const current = new AsyncLocalStorage<RealmTimers>();

/** Runs code whose timers are those of an explored process, while `replaceGlobalTimers` is in effect. */
export const withTimers = <T>(timers: RealmTimers, body: () => T): T => current.run(timers, body);

type AnyFunction = (...args: never[]) => unknown;

/**
 * Makes the global timer functions, and `setTimeout` and `setInterval` of `node:timers/promises`, use the time of the schedule in the code of an
 * actor. For code that has no realm, because it was loaded before. Returns what undoes it.
 */
export function replaceGlobalTimers(): () => void {
  const globals = globalThis as unknown as Record<string, AnyFunction>;
  const undo: (() => void)[] = [];
  const replace = (
    target: Record<string, AnyFunction>,
    name: string,
    ofActor: (timers: RealmTimers) => AnyFunction,
  ): void => {
    const original = target[name];
    if (original === undefined) return;
    const replaced = (...args: never[]): unknown => {
      const timers = current.getStore();
      return (timers === undefined ? original : ofActor(timers))(...args);
    };
    target[name] = Object.assign(replaced, original);
    undo.push(() => (target[name] = original));
  };
  for (const name of RealmTimers.NAMES) replace(globals, name, ({ globals }) => globals[name] as AnyFunction);
  const promises = (timersPromises as unknown as { default?: object }).default ?? timersPromises;
  for (const name of ['setTimeout', 'setInterval'] as const)
    replace(promises as Record<string, AnyFunction>, name, (timers) => timers.promises[name]);
  const { setTimeout: replaced } = globals;
  if (replaced !== undefined)
    Object.defineProperty(replaced, promisify.custom, {
      value: (ms?: number, value?: unknown) => timersPromises.setTimeout(ms, value),
    });
  syncBuiltinESMExports();
  return () => {
    for (const one of undo) one();
    syncBuiltinESMExports();
  };
}
