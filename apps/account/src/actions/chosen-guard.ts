import { headerName, problem, ProblemError, withoutLimit } from '#lab/http';
import { findGuard, type Guard, type UseName } from '#lab/guard';
import { OPTION_NAMES, optionsSchema, type Options } from '#lab/strategy';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';

/** The guard that a request names, and all its options. */
export interface ChosenGuard {
  /** The guard's name without its use. */
  readonly name: string;
  readonly options: Options;
}

const schema = z.strictObject({
  guard: z.string().regex(/^[a-z-]{1,32}$/, 'the name of a guard: GET /docs/account.json lists them'),
  ...optionsSchema.shape,
});

/** Parameter: guard and options of the request, from the query or from headers (`X-Guard`, `X-Lease-Ms`, …). */
export const RequestedGuard = createParamDecorator((_: unknown, context: ExecutionContext): ChosenGuard => {
  const { query, headers } = context.switchToHttp().getRequest<FastifyRequest>();
  const asked = withoutLimit(query as Record<string, unknown>);
  const values: Record<string, unknown> = { ...asked };
  for (const name of ['guard', ...OPTION_NAMES]) {
    const header = headers[headerName(name)];
    if (header === undefined) continue;
    if (asked[name] !== undefined && asked[name] !== header)
      throw new ProblemError(
        problem(
          'REQUEST.INVALID',
          `${name} is "${String(asked[name])}" in the query and "${String(header)}" in a header`,
        ),
      );
    values[name] = header;
  }
  const parsed = schema.safeParse(values);
  if (!parsed.success) {
    const detail = z.prettifyError(parsed.error).replaceAll('\n', ' ');
    throw new ProblemError(problem('REQUEST.INVALID', detail, { errors: parsed.error.issues }));
  }
  const { guard: name, ...options } = parsed.data;
  return { name, options };
});

/** The guard of a use. Throws `UnknownGuard` with those that the use has. */
export const guardOf = (use: UseName, { name }: ChosenGuard): Guard => findGuard(`${use}/${name}`);
