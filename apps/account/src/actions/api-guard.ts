import { headerName } from '#lab/http';
import { useNamed, type UseName } from '#lab/guard';
import { optionsSchema } from '#lab/strategy';
import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { z } from 'zod';
import { nameInRequest } from './chosen-guard';

type ParameterSchema = NonNullable<Parameters<typeof ApiHeader>[0]['schema']>;

const { properties: options = {} } = z.toJSONSchema(optionsSchema) as {
  properties?: Record<string, ParameterSchema>;
};

const ANSWERS: readonly (readonly [status: number, description: string])[] = [
  [400, 'GUARD.UNKNOWN, REQUEST.INVALID: nothing was done'],
  [409, 'LOCK.FENCED, LOCK.LOST, or a conflict with another request'],
  [423, 'the lock was not obtained'],
  [501, 'COMPONENT.MISSING: the guard needs a server that was not started'],
  [502, 'OUTCOME_UNKNOWN: the action may or may not have been done'],
  [503, 'DEPENDENCY.DOWN: a server is down'],
];

/** Documents an endpoint whose action runs under a guard, with the guards of its use and their options. */
export function ApiGuard(use: UseName): MethodDecorator {
  const names = useNamed(use).guards.map(nameInRequest);
  const guard: ParameterSchema = { type: 'string', enum: names, description: `a guard of ${use}` };
  const known = Object.entries(options);
  return applyDecorators(
    ApiQuery({ name: 'guard', required: true, schema: guard }),
    ...known.map(([name, schema]) => ApiQuery({ name, required: false, schema })),
    ...known.map(([name, schema]) => ApiHeader({ name: headerName(name), required: false, schema })),
    ...ANSWERS.map(([status, description]) => ApiResponse({ status, description })),
  );
}
