import { LIMITERS, limitSchema } from '#lab/limit';
import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { z } from 'zod';
import { headerName } from '../header-name';
import { TakesLimit } from './takes-limit';

type ParameterSchema = NonNullable<Parameters<typeof ApiHeader>[0]['schema']>;

const limit: ParameterSchema = {
  type: 'string',
  enum: LIMITERS.map(({ name }) => name),
  description: 'name of a rate limiter; without it, the request has no limit',
};

/** All parameters that `readLimit` reads, with the bounds of the schema that it validates them with. */
const { properties: options = {} } = z.toJSONSchema(limitSchema) as {
  properties?: Record<string, ParameterSchema>;
};
const parameters = Object.entries({ limit, ...options });

const FIELDS = {
  'RateLimit-Policy': {
    description: 'the quota `q` and the window `w` in seconds',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'the remaining quota `r`, and the seconds `t` until more is available',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'seconds', schema: { type: 'integer' } },
} as const;

/**
 * Declares and documents that a request to an endpoint may choose a limit. `headers`: the query of the endpoint has a `limit` of
 * its own, so that only headers choose one.
 */
export const ApiLimit = (by: 'query' | 'headers' = 'query'): MethodDecorator =>
  applyDecorators(
    TakesLimit(by),
    ...(by === 'query' ? parameters : []).map(([name, schema]) =>
      ApiQuery({ name, required: false, schema }),
    ),
    ...parameters.map(([name, schema]) => ApiHeader({ name: headerName(name), required: false, schema })),
    ApiHeader({
      name: 'X-Client',
      required: false,
      schema: { type: 'string', minLength: 1, maxLength: 64 },
      description:
        'the client whose limit the request uses up; default: the buyer, else the address of the client',
    }),
    ApiResponse({
      status: 429,
      description: 'LIMIT.EXCEEDED: nothing was done (draft-ietf-httpapi-ratelimit-headers-11)',
      headers: FIELDS,
    }),
    ApiResponse({ status: 503, description: 'DEPENDENCY.DOWN: a server is down; nothing was done' }),
  );
