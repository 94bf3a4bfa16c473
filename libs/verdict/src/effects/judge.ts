import type { Effect, EffectRules } from '#lab/guard';
import type { EffectViolationKind } from '#lab/strategy';
import { groupBy } from '../group-by';

/** A client whose action was acknowledged. */
export interface AcknowledgedAction {
  readonly request: string;
  readonly key: string;
  /** How long ago the page had expired that it received, milliseconds; absent: it received no page. */
  readonly staleMs?: number;
}

export interface EffectViolation {
  readonly kind: EffectViolationKind;
  readonly sentence: string;
  /** The requests that it concerns. */
  readonly requests: readonly string[];
}

/** Violations in the effects of actions, by their data alone. `acknowledged` lists the clients that rely on an effect. */
export function judgeEffects(
  rules: EffectRules,
  effects: readonly Effect[],
  acknowledged: readonly AcknowledgedAction[],
): EffectViolation[] {
  return [
    ...repeated(rules, effects),
    ...missing(rules, effects, acknowledged),
    ...staleWrites(effects),
    ...avalanche(rules, effects),
  ];
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
  acknowledged: readonly AcknowledgedAction[],
): EffectViolation[] {
  if (!isPromised) return [];
  const keys = new Set(effects.map(({ key }) => key));
  const relying = groupBy(
    acknowledged.filter(({ key }) => !keys.has(key)),
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
  let latest: (Effect & { readonly epoch: number }) | undefined;
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

const SECOND = 1000;

/** More pages expire within one second than the rules allow. */
function avalanche({ expiringPerSecond }: EffectRules, effects: readonly Effect[]): EffectViolation[] {
  if (expiringPerSecond === undefined) return [];
  const busiest = busiestSecond(effects);
  if (busiest.length <= expiringPerSecond * effects.length) return [];
  return [
    {
      kind: 'avalanche',
      sentence: `${busiest.length} of ${effects.length} pages expire within one second; at most ${Math.floor(expiringPerSecond * effects.length)} may`,
      requests: [...new Set(busiest.map(({ request }) => request))],
    },
  ];
}

/** The pages of the second in which the most of them expire. */
function busiestSecond(effects: readonly Effect[]): readonly Effect[] {
  const inOrder = effects.toSorted((a, b) => timeOf(a) - timeOf(b));
  let busiest: readonly Effect[] = [];
  for (let from = 0, to = 0; from < inOrder.length; from++) {
    const end = timeOf(inOrder[from]) + SECOND;
    while (to < inOrder.length && timeOf(inOrder[to]) < end) to++;
    if (to - from > busiest.length) busiest = inOrder.slice(from, to);
  }
  return busiest;
}

const timeOf = (effect: Effect | undefined): number => effect?.expiresAt ?? 0;
