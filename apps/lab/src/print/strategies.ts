import { count } from '#lab/step';
import type { Strategy } from '#lab/strategy';
import { renderTable } from './table';

/** Each strategy with its mechanism and its defect. */
export const printStrategies = (strategies: readonly Strategy[]): string =>
  [
    `${count(strategies.length, 'strategy', 'strategies')}; --json prints all fields`,
    renderTable({
      head: ['strategy', 'mechanism', 'defect'],
      rows: strategies.map(({ name, mechanism, defect }) => [name, mechanism, defect]),
      boxed: true,
    }),
  ].join('\n');
