import { CAPABILITIES, sourcesOf, type Capability, type Strategy } from '#lab/strategy';
import { SCENARIOS } from '#load-tests/scenarios';
import type { StrategyView } from './schemas';
import { STRATEGIES_IN_CHINESE } from './strategies-in-chinese';

const ALL = Object.keys(CAPABILITIES) as Capability[];

export const strategyView = (strategy: Strategy): StrategyView => ({
  name: strategy.name,
  mechanism: strategy.mechanism,
  defect: strategy.defect,
  source: strategy.source,
  next: { ...strategy.next },
  inChinese: STRATEGIES_IN_CHINESE[strategy.name],
  options: strategy.options,
  needs: strategy.needs ?? [],
  keeps: ALL.filter((capability) => !strategy.lacks.includes(capability)),
  lacks: strategy.lacks,
  files: sourcesOf(strategy),
  presets: [...SCENARIOS.values()].flatMap(({ name, plan }) =>
    plan.strategy === strategy.name ? [name] : [],
  ),
});
