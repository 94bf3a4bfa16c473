/** A recorded step, of a schedule or of a load run. */
interface Statement {
  readonly text: string;
}

/** The step reads or writes the stock in the database. */
export const usesStock = ({ text }: Statement): boolean => /\b(FROM|UPDATE) balance/.test(text);

/** The step writes the stock in the database. */
export const writesStock = ({ text }: Statement): boolean =>
  /^UPDATE balance(_segment)? SET amount/.test(text);
