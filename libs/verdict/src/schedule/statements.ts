import type { StepEvent } from './history';

/** The step reads or writes the stock in the database. */
export const usesStock = ({ text }: Pick<StepEvent, 'text'>): boolean => /\b(FROM|UPDATE) balance/.test(text);

/** The step writes the stock in the database. */
export const writesStock = ({ text }: Pick<StepEvent, 'text'>): boolean =>
  /^UPDATE balance(_segment)? SET amount/.test(text);
