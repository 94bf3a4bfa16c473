import { problem, ProblemError, type Chosen } from '#lab/http';
import { OPTION_NAMES } from '#lab/strategy';
import { createHash } from 'node:crypto';
import type { OrderRequest } from './order-intent';

const LONGEST_KEY = 128;
/** In quotes, each of its letters may have a `\` before it. */
export const LONGEST_HEADER = 2 * LONGEST_KEY + 2;
const KEY = /^[\x21-\x7e]+$/;
/** A string of RFC 8941 without blanks: in quotes, where `\` and `"` have a `\` before them. */
const QUOTED = /^"((?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
/** What a key may have that stands without quotes. */
const BARE = /^[\w.:~+/=-]*$/;

/**
 * The `Idempotency-Key` header (draft-ietf-httpapi-idempotency-key-header-07): a quoted string as the draft wants it, or the
 * same without quotes, as most clients send it; both are one key. Undefined: there is none. Throws a 400 for anything else.
 */
export function readIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const quoted = QUOTED.exec(header)?.[1]?.replace(/\\(["\\])/g, '$1');
  const key = quoted ?? (BARE.test(header) ? header : '');
  if (KEY.test(key) && key.length <= LONGEST_KEY) return key;
  const detail = `an Idempotency-Key is a string in quotes, or 1 to ${LONGEST_KEY} letters, digits or any of . : ~ + / = _ - without: send a UUID`;
  throw new ProblemError(problem('IDEMPOTENCY.INVALID', detail));
}

/** Of all that makes two orders the same: who buys what, and how the stock is protected. Not the fault that it may carry. */
export function fingerprintOf({ buyer, lines, isCart }: OrderRequest, { strategy, options }: Chosen): string {
  const how = OPTION_NAMES.map((name) => options[name]);
  const what = lines.map(({ sku, quantity }) => [sku, quantity]);
  return createHash('sha256')
    .update(JSON.stringify([buyer, isCart, what, strategy.name, how]))
    .digest('hex');
}
