import { drillInChinese } from './chinese';
import type { DrillRun } from './run-drill';

const say = (english: string): string => drillInChinese(english) ?? english;

/**
 * The run for a Chinese report: what the drill shows, its facts, figures, outcomes and events. Steps, and messages of errors,
 * stay as they are.
 */
export function runInChinese({ drill, evidence, verdict }: DrillRun): DrillRun {
  const { buyers, facts, figures, timeline } = evidence;
  return {
    drill: { ...drill, shows: say(drill.shows), certainBy: say(drill.certainBy) },
    evidence: {
      ...evidence,
      buyers: buyers.map((buyer) => ({ ...buyer, text: say(buyer.text) })),
      facts: facts.map((fact) => ({ ...fact, text: say(fact.text) })),
      figures: Object.fromEntries(
        Object.entries(figures).map(([name, value]) => [
          say(name),
          typeof value === 'string' ? say(value) : value,
        ]),
      ),
      timeline: timeline.map((moment) => ({ ...moment, who: say(moment.who), what: say(moment.what) })),
    },
    verdict: {
      ...verdict,
      reasons: verdict.reasons.map((reason) =>
        reason.code === 'fact-does-not-hold' ? { ...reason, fact: say(reason.fact) } : reason,
      ),
    },
  };
}
