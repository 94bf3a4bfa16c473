import {
  DEFAULT_OPTIONS,
  DEFAULT_STRATEGY,
  findStrategy,
  OPTION_NAMES,
  optionsSchema,
  type Options,
  type Strategy,
} from '#lab/strategy';
import { z } from 'zod';
import { headerName } from './header-name';
import { withoutLimit } from './limit/chosen-limit';
import { parameterValues } from './parameter-values';
import { problem, ProblemError } from './problem';

/** A request's strategy, all its options, and the names of the given options that the strategy does not use. */
export interface Chosen {
  readonly strategy: Strategy;
  readonly options: Options;
  readonly ignored: readonly string[];
}

/** Each parameter of a choice, with its header. */
const PARAMETERS = ['strategy', ...OPTION_NAMES].map((name) => [name, headerName(name)] as const);

const schema = z.strictObject({ strategy: z.string().default(DEFAULT_STRATEGY), ...optionsSchema.shape });

/**
 * Reads strategy and options from the query and from headers (`X-Strategy`, `X-Lease-Ms`, …). Throws 400 for an unknown
 * strategy (listing the known ones), an unknown option, a value out of range, and a query and a header that disagree.
 */
export function readChosen(
  query: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, unknown>>,
): Chosen {
  const values = { ...parameterValues(PARAMETERS, query, headers), ...withoutLimit(query) };
  const { strategy: name, ...options } = parse(values);
  const strategy = findStrategy(name);
  const used: readonly string[] = ['strategy', ...strategy.options];
  return { strategy, options, ignored: Object.keys(values).filter((option) => !used.includes(option)) };
}

/** Most requests name a strategy and no option: there is nothing to validate. */
function parse(values: Readonly<Record<string, unknown>>): z.infer<typeof schema> {
  const { strategy, ...given } = values;
  if (typeof strategy === 'string' && Object.keys(given).length === 0)
    return { strategy, ...DEFAULT_OPTIONS };
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  const detail = z.prettifyError(parsed.error).replaceAll('\n', ' ');
  throw new ProblemError(problem('REQUEST.INVALID', detail, { errors: parsed.error.issues }));
}
