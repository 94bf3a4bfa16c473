import type { FastifyRequest } from 'fastify';
import { problem, ProblemError } from '../problem';

/** The names of clients: those of buyers, and addresses. */
export const CLIENT = /^[\p{L}\p{M}\p{N} .:@_'-]{1,64}$/u;

/**
 * The client whose limit a request uses up: the header `X-Client`, else the buyer of an order, else the address of the client,
 * which nginx reports in `X-Real-IP`. A real shop would take the authenticated user instead. Throws 400 for an invalid header.
 */
export function clientOf({ headers, body, ip }: FastifyRequest): string {
  const named = headers['x-client'];
  if (typeof named === 'string') {
    if (CLIENT.test(named)) return named;
    throw new ProblemError(
      problem('REQUEST.INVALID', "X-Client has 1 to 64 letters, digits, spaces, or any of . : @ _ ' -"),
    );
  }
  const buyer = (body as { readonly buyer?: unknown } | null | undefined)?.buyer;
  if (typeof buyer === 'string' && CLIENT.test(buyer)) return buyer;
  const address = headers['x-real-ip'];
  return typeof address === 'string' && CLIENT.test(address) ? address : ip;
}
