import { headerName, parameterValues, problem, ProblemError, withoutLimit } from '#lab/http';
import { UnknownGuard, useNamed, type Guard, type UseName } from '#lab/guard';
import { OPTION_NAMES, optionsSchema, type Options } from '#lab/strategy';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';

/** The guard that a request names, and all its options. */
export interface ChosenGuard {
  /** The guard's name without its use. Undefined: the request names none. */
  readonly name: string | undefined;
  readonly options: Options;
}

const schema = z.strictObject({
  guard: z.string().optional(),
  ...optionsSchema.shape,
});

/** Each parameter of an action, with its header. */
const PARAMETERS = ['guard', ...OPTION_NAMES].map((name) => [name, headerName(name)] as const);

/** Parameter: guard and options of the request, from the query or from headers (`X-Guard`, `X-Lease-Ms`, …). */
export const RequestedGuard = createParamDecorator((_: unknown, context: ExecutionContext): ChosenGuard => {
  const { query, headers } = context.switchToHttp().getRequest<FastifyRequest>();
  const asked = query as Record<string, unknown>;
  const values = { ...parameterValues(PARAMETERS, asked, headers), ...withoutLimit(asked) };
  const parsed = schema.safeParse(values);
  if (!parsed.success) {
    const detail = z.prettifyError(parsed.error).replaceAll('\n', ' ');
    throw new ProblemError(problem('REQUEST.INVALID', detail, { errors: parsed.error.issues }));
  }
  const { guard: name, ...options } = parsed.data;
  return { name, options };
});

/** The name of a guard in a request: without its use. */
export const nameInRequest = ({ name }: Guard): string => name.slice(name.indexOf('/') + 1);

/** The guard of a use. Throws `UnknownGuard`, or a problem without a name, with the guards that the use has. */
export function guardOf(use: UseName, { name }: ChosenGuard): Guard {
  const { guards } = useNamed(use);
  const names = guards.map(nameInRequest);
  if (name === undefined)
    throw new ProblemError(
      problem('REQUEST.INVALID', `no guard: send guard or X-Guard. Choose one of: ${names.join(', ')}`),
    );
  const found = guards.find((guard) => nameInRequest(guard) === name);
  if (found === undefined) throw new UnknownGuard(name, names);
  return found;
}
