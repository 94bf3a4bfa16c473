import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

/**
 * Marks an endpoint whose requests may choose a limit: by query and headers, or, where the query has a `limit` of its own (the
 * length of a page), by headers only.
 */
export const TakesLimit = Reflector.createDecorator<'query' | 'headers'>();

const reflector = new Reflector();

/** From where the requests to the endpoint take a limit; undefined: they take none. */
export const placeOfLimit = (context: ExecutionContext): 'query' | 'headers' | undefined =>
  reflector.get(TakesLimit, context.getHandler());
