import { CATALOGUE, DEFAULT_STRATEGY, optionsSchema } from '#lab/strategy';
import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { z } from 'zod';
import { headerName } from './header-name';
import { TakesFaults } from './lab/fault-guard';

type ParameterSchema = NonNullable<Parameters<typeof ApiHeader>[0]['schema']>;

const strategy: ParameterSchema = {
  type: 'string',
  enum: CATALOGUE.map(({ name }) => name),
  default: DEFAULT_STRATEGY,
  description: 'name of a strategy of the catalogue',
};

/** All parameters that `readChosen` reads, with the bounds of the schema that it validates them with. */
const { properties: options = {} } = z.toJSONSchema(optionsSchema) as {
  properties?: Record<string, ParameterSchema>;
};
const choices = Object.entries({ strategy, ...options });

const ANSWERS: readonly (readonly [status: number, description: string])[] = [
  [400, 'invalid request: nothing was done'],
  [404, 'unknown product or account'],
  [409, 'sold out, or a conflict with another request'],
  [423, 'the lock was not obtained'],
  [501, 'COMPONENT.MISSING: the strategy needs a server that was not started'],
  [502, 'OUTCOME_UNKNOWN: the request may or may not have been executed'],
  [503, 'DEPENDENCY.DOWN: a server is down; OVERLOADED: too many requests at once; nothing was done'],
];

/** Documents an endpoint that reads a strategy and its options, from the query or from headers. */
export const ApiChoice = (): MethodDecorator =>
  applyDecorators(
    ...choices.map(([name, schema]) => ApiQuery({ name, required: false, schema })),
    ...choices.map(([name, schema]) => ApiHeader({ name: headerName(name), required: false, schema })),
    ...ANSWERS.map(([status, description]) => ApiResponse({ status, description })),
  );

/** Declares and documents that an endpoint accepts faults; all others refuse a request that carries one. */
export const ApiFault = (
  description = 'accepted only when the lab is enabled; the public address refuses it',
): MethodDecorator =>
  applyDecorators(
    TakesFaults(),
    ApiHeader({
      name: 'X-Fault',
      required: false,
      description,
    }),
  );
