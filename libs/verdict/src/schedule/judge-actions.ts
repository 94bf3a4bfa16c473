import type { EffectRules } from '#lab/guard';
import { judgeEffects } from '../effects';
import type { EndEvent, ScheduleHistory } from './history';
import { judgeHolders } from './holders';
import { worstFirst, type ScheduleVerdict } from './judge';
import type { ScheduleViolation } from './violation';
import { judgeWaiting } from './waiting';

/** Judges one schedule of a guard: the effects of its actions, and its locks as those of a strategy. */
export function judgeActions(rules: EffectRules, history: ScheduleHistory): ScheduleVerdict {
  const { effects = [] } = history.final;
  return {
    violations: worstFirst([
      ...effectViolations(rules, history),
      ...judgeHolders(history),
      ...judgeWaiting(history),
    ]),
    sold: effects.length,
  };
}

function effectViolations(rules: EffectRules, { events, final }: ScheduleHistory): ScheduleViolation[] {
  const ends = events.filter((event): event is EndEvent => event.type === 'end');
  const acknowledged = ends.flatMap(({ actor, code, key }) =>
    code === 'APPLIED' && key !== undefined ? [{ request: actor, key }] : [],
  );
  return judgeEffects(rules, final.effects ?? [], acknowledged).map(({ kind, sentence, requests }) => ({
    kind,
    sentence,
    at: ends.flatMap(({ n, actor }) => (requests.includes(actor) ? [n] : [])),
  }));
}
