import {
  DEFAULT_STRATEGY,
  findStrategy,
  OPTION_NAMES,
  optionsSchema,
  type Options,
  type Strategy,
} from '#lab/strategy';
import { z } from 'zod';
import { problem, ProblemError } from './problem';

/** What a request chose: its strategy, all options, and those that the strategy does not use. */
export interface Chosen {
  readonly strategy: Strategy;
  readonly options: Options;
  readonly ignored: readonly string[];
}

const given = z.strictObject({ strategy: z.string().default(DEFAULT_STRATEGY), ...optionsSchema.shape });

/**
 * Reads strategy and options from the query, else from headers (`X-Strategy`, `X-Lease-Ms`, …). The query wins.
 * Throws a 400 for an unknown name (it lists the names), an unknown option or a value out of range.
 */
export function readChosen(
  query: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, unknown>>,
): Chosen {
  const fromHeaders = Object.fromEntries(
    ['strategy', ...OPTION_NAMES]
      .map((name) => [name, headers[headerName(name)]] as const)
      .filter(([, value]) => value !== undefined),
  );
  const asked = { ...fromHeaders, ...query };
  const parsed = given.safeParse(asked);
  if (!parsed.success) {
    const detail = z.prettifyError(parsed.error).replaceAll('\n', ' ');
    throw new ProblemError(problem('REQUEST.INVALID', detail, { errors: parsed.error.issues }));
  }
  const { strategy: name, ...options } = parsed.data;
  const strategy = findStrategy(name);
  const used: readonly string[] = ['strategy', ...strategy.options];
  return { strategy, options, ignored: Object.keys(asked).filter((option) => !used.includes(option)) };
}

/** `leaseMs` → `x-lease-ms`. */
export const headerName = (option: string): string =>
  `x-${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
