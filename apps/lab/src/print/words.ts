import type { Expectation } from '#lab/strategy';

/** `no violation`, or the kinds that must and may be seen. */
export const expectationWords = ({ must, may }: Expectation): string => {
  const optional = may.length === 0 ? '' : ` (perhaps ${may.join(', ')})`;
  return `${must.length === 0 ? 'no violation' : must.join(', ')}${optional}`;
};
