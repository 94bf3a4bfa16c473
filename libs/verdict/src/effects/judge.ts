import type { Effect, EffectRules } from '#lab/guard';
import type { EffectViolationKind } from '#lab/strategy';
import { groupBy } from '../group-by';

/** A client that was told that its action is done. */
export interface ToldDone {
  readonly request: string;
  readonly key: string;
}

export interface EffectViolation {
  readonly kind: EffectViolationKind;
  readonly sentence: string;
  /** The requests that it concerns. */
  readonly requests: readonly string[];
}

/** Violations in the effects of actions, by their data alone. `told` lists the clients that rely on an effect. */
export function judgeEffects(
  rules: EffectRules,
  effects: readonly Effect[],
  told: readonly ToldDone[],
): EffectViolation[] {
  return [...repeated(rules, effects), ...missing(rules, effects, told), ...staleWrites(effects)];
}

function repeated({ effect, second }: EffectRules, effects: readonly Effect[]): EffectViolation[] {
  return [...groupBy(effects, ({ key }) => key)].flatMap(([key, found]) =>
    found.length < 2
      ? []
      : [
          {
            kind: second,
            sentence: `${effect} ${key}, ${found.length} times: by ${found.map(({ request }) => request).join(', ')}`,
            requests: found.map(({ request }) => request),
          },
        ],
  );
}

function missing(
  { effect, isPromised }: EffectRules,
  effects: readonly Effect[],
  told: readonly ToldDone[],
): EffectViolation[] {
  if (!isPromised) return [];
  const keys = new Set(effects.map(({ key }) => key));
  const relying = groupBy(
    told.filter(({ key }) => !keys.has(key)),
    ({ key }) => key,
  );
  return [...relying].map(([key, clients]) => ({
    kind: 'missing' as const,
    sentence: `${clients.map(({ request }) => request).join(', ')} received "done", and there is no ${effect} ${key}`,
    requests: clients.map(({ request }) => request),
  }));
}

/** Effects of a leader after the first effect of a later one. */
function staleWrites(effects: readonly Effect[]): EffectViolation[] {
  let latest: Required<Effect> | undefined;
  const found: EffectViolation[] = [];
  for (const { key, request, epoch = 0 } of effects) {
    if (latest !== undefined && epoch < latest.epoch)
      found.push({
        kind: 'stale-write',
        sentence: `${request}, leader of epoch ${epoch}, wrote after ${latest.request}, leader of epoch ${latest.epoch}`,
        requests: [latest.request, request],
      });
    else latest = { key, request, epoch };
  }
  return found;
}
