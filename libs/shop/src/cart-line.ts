import type { RequestLine } from '#lab/step';

/** The fields of a cart's request line in the history. */
export function cartLine(
  request: string,
  lines: readonly { readonly sku: string; readonly quantity: number }[],
): Pick<RequestLine, 'request' | 'balance' | 'delta' | 'cart'> {
  const cart = lines.map(({ sku, quantity }) => ({ balance: sku, delta: -quantity }));
  const { balance, delta } = cart[0] ?? { balance: '', delta: 0 };
  return { request, balance, delta, cart };
}
