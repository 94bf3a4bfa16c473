import { CATALOGUE, DEFAULT_STRATEGY, optionsSchema } from '#lab/strategy';
import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { z } from 'zod';
import { headerName } from './chosen';
import { TakesFaults } from './lab/fault-guard';

type ParameterSchema = NonNullable<Parameters<typeof ApiHeader>[0]['schema']>;

const strategy: ParameterSchema = {
  type: 'string',
  enum: CATALOGUE.map(({ name }) => name),
  default: DEFAULT_STRATEGY,
  description: 'a name of the catalogue',
};

/** Everything that `readChosen` reads, with its bounds: they are those of the schema that refuses. */
const { properties: options = {} } = z.toJSONSchema(optionsSchema) as {
  properties?: Record<string, ParameterSchema>;
};
const choices = Object.entries({ strategy, ...options });

const ANSWERS: readonly (readonly [status: number, description: string])[] = [
  [400, 'not understood: nothing was done'],
  [404, 'no such product'],
  [409, 'sold out, or somebody else was faster'],
  [423, 'the lock was not obtained'],
  [501, 'COMPONENT.MISSING: the strategy needs a server that was not started'],
  [502, 'OUTCOME_UNKNOWN: nobody knows whether it was done'],
  [503, 'DEPENDENCY.DOWN: a server is down; nothing was done'],
];

/** Documents an endpoint that reads a strategy and its options, from the query or from headers. */
export const ApiChoice = (): MethodDecorator =>
  applyDecorators(
    ...choices.map(([name, schema]) => ApiQuery({ name, required: false, schema })),
    ...choices.map(([name, schema]) => ApiHeader({ name: headerName(name), required: false, schema })),
    ...ANSWERS.map(([status, description]) => ApiResponse({ status, description })),
  );

/** Declares and documents that an endpoint takes faults: every other one refuses a request that carries one. */
export const ApiFault = (
  description = 'obeyed only when the lab is enabled; the public address clears it',
): MethodDecorator =>
  applyDecorators(
    TakesFaults(),
    ApiHeader({
      name: 'X-Fault',
      required: false,
      description,
    }),
  );
