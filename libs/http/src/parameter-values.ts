import { problem, ProblemError } from './problem';

type Values = Readonly<Record<string, unknown>>;

/**
 * The values of parameters that a request may send in its query or in a header. Throws 400 when both are there and differ:
 * whichever was used, a request would not do what it says.
 */
export function parameterValues(
  parameters: readonly (readonly [name: string, header: string])[],
  query: Values,
  headers: Values,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, header] of parameters) {
    const [inQuery, inHeader] = [query[name], headers[header]];
    if (inQuery !== undefined && inHeader !== undefined && inQuery !== inHeader) {
      const detail = `${name} is ${JSON.stringify(inQuery)} in the query and ${JSON.stringify(inHeader)} in ${header}: send one of them`;
      throw new ProblemError(problem('REQUEST.INVALID', detail));
    }
    const value = inQuery ?? inHeader;
    if (value !== undefined) values[name] = value;
  }
  return values;
}
