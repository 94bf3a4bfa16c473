import type { Limit } from '../contract';

/** The key of a client's state. A client under two limits has two states. */
export const limitKey = (limiter: string, client: string, { max, windowMs, burst }: Limit): string =>
  `limit:{${client}}:${limiter}:${max}/${windowMs}/${burst}`;
