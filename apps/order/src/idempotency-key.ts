import { problem, ProblemError, type Chosen } from '#lab/http';
import { OPTION_NAMES } from '#lab/strategy';
import { createHash } from 'node:crypto';
import type { OrderRequest } from './order-intent';

const LONGEST_KEY = 128;
/** A quoted key may have a `\` before each character. */
export const LONGEST_HEADER = 2 * LONGEST_KEY + 2;
const KEY = /^[\x21-\x7e]+$/;
/** A string of RFC 8941 without spaces: in quotes, with `\` and `"` escaped by a `\`. */
const QUOTED = /^"((?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
/** A key without quotes. */
const BARE = /^[\w.:~+/=-]*$/;

/**
 * Reads the `Idempotency-Key` header (draft-ietf-httpapi-idempotency-key-header-07): a quoted string, as the draft requires,
 * or the same without quotes, as most clients send it; both are the same key. Undefined: there is no header. Throws 400 for
 * an invalid one.
 */
export function readIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const quoted = QUOTED.exec(header)?.[1]?.replace(/\\(["\\])/g, '$1');
  const key = quoted ?? (BARE.test(header) ? header : '');
  if (KEY.test(key) && key.length <= LONGEST_KEY) return key;
  const detail = `invalid Idempotency-Key: it is a string in quotes, or without quotes 1 to ${LONGEST_KEY} letters, digits or any of . : ~ + / = _ -. Send a UUID`;
  throw new ProblemError(problem('IDEMPOTENCY.INVALID', detail));
}

/**
 * Hash of everything that identifies an order: buyer, lines, strategy and options. Injected faults are not part of it.
 */
export function fingerprintOf({ buyer, lines, isCart }: OrderRequest, { strategy, options }: Chosen): string {
  const how = OPTION_NAMES.map((name) => options[name]);
  const what = lines.map(({ sku, quantity }) => [sku, quantity]);
  return createHash('sha256')
    .update(JSON.stringify([buyer, isCart, what, strategy.name, how]))
    .digest('hex');
}
