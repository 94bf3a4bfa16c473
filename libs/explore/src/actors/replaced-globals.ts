import { currentScope } from '#lab/step';
import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Realm } from './realm';
import { RealmTimers } from './realm-timers';
import { VirtualTimer } from './virtual-timers';

const current = new AsyncLocalStorage<Realm>();

/** Runs code with the timers and the randomness of an explored process, while `replaceGlobals` is in effect. */
export const withGlobalsOf = <T>(realm: Realm, body: () => T): T => current.run(realm, body);

type AnyFunction = (...args: never[]) => unknown;

/**
 * Makes the timers of Node and `AbortSignal.timeout` use the time of the schedule in the code of an actor, and the values of
 * `Math.random` the same in each of its schedules. For code that has no realm, because it was loaded before. Returns what undoes it.
 */
export function replaceGlobals(): () => void {
  const undo: (() => void)[] = [];
  const replace = (target: object, name: string, ofRealm: (realm: Realm) => unknown): void => {
    const functions = target as Record<string, AnyFunction>;
    const original = functions[name];
    if (original === undefined) return;
    const replaced = function (this: unknown, ...args: never[]): unknown {
      const [timer] = args as unknown[];
      if (timer instanceof VirtualTimer) {
        timer.clear(); // by any code: a client clears its timers when its socket receives the reply
        return undefined;
      }
      const realm = currentScope() === undefined ? undefined : current.getStore(); // without a scope, the code is that of a client
      return (realm === undefined ? original : (ofRealm(realm) as AnyFunction)).apply(this, args);
    };
    functions[name] = Object.assign(replaced, original);
    undo.push(() => (functions[name] = original));
  };
  for (const target of [globalThis, timers])
    for (const name of RealmTimers.NAMES) replace(target, name, (realm) => realm.timers.globals[name]);
  for (const name of ['setTimeout', 'setInterval'] as const)
    replace(timersPromises, name, (realm) => realm.timers.promises[name]);
  for (const { setTimeout: replaced } of [globalThis, timers])
    Object.defineProperty(replaced, promisify.custom, {
      value: (ms?: number, value?: unknown) => timersPromises.setTimeout(ms, value),
    });
  replace(AbortSignal, 'timeout', (realm) => (ms: number) => realm.timers.abortSignal.timeout(ms));
  replace(
    Math,
    'random',
    ({ random }) =>
      () =>
        random?.math.random(),
  );
  syncBuiltinESMExports();
  return () => {
    for (const one of undo) one();
    syncBuiltinESMExports();
  };
}
