import type { Expectation } from '#lab/strategy';

/** `no violation`, or the kinds of violations that must occur and those that may. */
export const expectationWords = ({ must, may }: Expectation): string => {
  const others = may.filter((kind) => !must.includes(kind));
  const optional = others.length === 0 ? '' : ` (possibly ${others.join(', ')})`;
  return `${must.length === 0 ? 'no violation' : must.join(', ')}${optional}`;
};
