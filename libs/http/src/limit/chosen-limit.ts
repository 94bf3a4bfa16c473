import {
  findLimiter,
  limitOf,
  limitSchema,
  LIMIT_OPTION_NAMES,
  type Limit,
  type Limiter,
  type OnError,
} from '#lab/limit';
import { z } from 'zod';
import { headerName } from '../header-name';
import { parameterValues } from '../parameter-values';
import { problem, ProblemError } from '../problem';

/** A request's limiter, its limit, and the names of the given options that the limiter does not use. */
export interface ChosenLimit {
  readonly limiter: Limiter;
  readonly limit: Limit;
  readonly onError: OnError;
  readonly ignored: readonly string[];
}

type Values = Readonly<Record<string, unknown>>;

const schema = z.object({ limit: z.string(), ...limitSchema.shape });

/** Each parameter of a limit, with its header. */
export const LIMIT_PARAMETERS: readonly (readonly [name: string, header: string])[] = [
  'limit',
  ...LIMIT_OPTION_NAMES,
].map((name) => [name, headerName(name)]);

const isParameter = new Set(LIMIT_PARAMETERS.map(([name]) => name));

/** A query without the parameters of a limit. */
export const withoutLimit = (query: Values): Values =>
  Object.fromEntries(Object.entries(query).filter(([name]) => !isParameter.has(name)));

/** Whether the request names a limit, in its query or its headers. Without a limit, this is all that a limiter costs. */
export const namesLimit = (query: Values, headers: Values): boolean =>
  LIMIT_PARAMETERS.some(([name, header]) => query[name] !== undefined || headers[header] !== undefined);

/**
 * Reads a limit from the query and from headers (`X-Limit`, `X-Max`, …). Throws 400 for an unknown limiter (listing the known
 * ones), a value out of range, and a query and a header that disagree.
 */
export function readLimit(query: Values, headers: Values): ChosenLimit {
  const values = parameterValues(LIMIT_PARAMETERS, query, headers);
  if (values['limit'] === undefined)
    throw invalid(`${Object.keys(values).join(', ')} needs a limiter: send limit or X-Limit as well`);
  const parsed = schema.safeParse(values);
  if (!parsed.success)
    throw new ProblemError(
      problem('REQUEST.INVALID', z.prettifyError(parsed.error).replaceAll('\n', ' '), {
        errors: parsed.error.issues,
      }),
    );
  const { limit: name, onError, ...numbers } = parsed.data;
  const limiter = findLimiter(name);
  const used: readonly string[] = ['limit', 'onError', ...limiter.options];
  return {
    limiter,
    limit: limitOf(limiter, numbers),
    onError,
    ignored: Object.keys(values).filter((option) => !used.includes(option)),
  };
}

const invalid = (detail: string): ProblemError => new ProblemError(problem('REQUEST.INVALID', detail));
