import { GUARDS } from '#lab/guard';
import { startProcesses, type Conditions } from '#lab/stack';
import type { Component } from '#lab/step';
import { componentsOf } from '#lab/strategy';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ACTIONS, ACTIONS_AT_ONCE, benchActions, type ActionResult } from './actions';
import { AT_ONCE, benchLimiters, CLIENTS, type LimiterResult } from './limiters';

export type { ActionResult } from './actions';
export type { LimiterResult } from './limiters';

/** The two kinds of guards: of the rate of requests, and of actions. */
export const GUARD_KINDS = ['limiters', 'actions'] as const;
type GuardKind = (typeof GUARD_KINDS)[number];

export interface GuardBenchOptions {
  /** Only these; absent: both. */
  readonly only?: GuardKind;
  readonly repeats: number;
  /** Duration of one measurement of a limiter, milliseconds. */
  readonly measureMs: number;
  readonly dir: string;
  readonly signal?: AbortSignal;
  readonly onStart: (stop: () => Promise<void>) => void;
  readonly onProgress: (text: string) => void;
}

export interface GuardBenchResult {
  readonly limiters: readonly LimiterResult[];
  readonly actions: readonly ActionResult[];
  readonly conditions: Conditions;
}

/** The servers that the bench needs besides Redis and the database. */
export const guardComponents = (only?: GuardKind): readonly Component[] =>
  only === 'limiters' ? [] : componentsOf(GUARDS);

export async function benchGuards(options: GuardBenchOptions): Promise<GuardBenchResult> {
  const { only, repeats, measureMs, signal, onProgress } = options;
  onProgress('starting the servers');
  const dir = join(options.dir, `bench-guards-${process.pid}`);
  const stack = await startProcesses({
    dir,
    replicas: { order: 0, inventory: 0 },
    components: guardComponents(only),
    lab: false,
    ...(signal && { signal }),
  });
  options.onStart(async () => {
    await stack.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  const more = { repeats, onProgress, ...(signal && { signal }) };
  const limiters =
    only === 'actions' ? [] : await benchLimiters({ url: stack.urls.redis, measureMs, ...more });
  const actions = only === 'limiters' ? [] : await benchActions({ urls: stack.urls, ...more });
  const conditions = {
    ...(await stack.conditions()),
    repeats,
    measureMs,
    atOnce: AT_ONCE,
    clients: CLIENTS,
    actions: ACTIONS,
    actionsAtOnce: ACTIONS_AT_ONCE,
  };
  await stack.stop();
  return { limiters, actions, conditions };
}
