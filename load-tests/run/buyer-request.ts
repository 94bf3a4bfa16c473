import { choiceQuery } from '#lab/strategy';
import type { ClientAnswer } from '#lab/verdict';
import { orderHeaders, type OrderResponse } from './order-client';
import { cartOf, type LoadPlan } from './plan';

/** The order or entry of one buyer. */
export interface BuyerRequest {
  readonly id: string;
  readonly cart: readonly string[] | undefined;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** The request of buyer `number`, counted from 1. `run` makes its id unique. */
export const requestOf = (plan: LoadPlan, run: string, number: number): BuyerRequest =>
  buyerRequest(plan, number, { id: `${run}-${number}`, fault: faultFor(plan, number) });

/** The request of the single buyer before the load, which carries the fault. */
export const firstRequest = (plan: LoadPlan, id: string): BuyerRequest =>
  buyerRequest(plan, 0, { id, fault: plan.fault?.header });

const buyerRequest = (
  plan: LoadPlan,
  number: number,
  { id, fault }: { id: string; fault: string | undefined },
): BuyerRequest => ({
  id,
  cart: cartOf(plan, number),
  path: pathOf(plan, number),
  headers: orderHeaders({ id, fault }),
  body: bodyOf(plan, number),
});

function bodyOf(plan: LoadPlan, number: number): object {
  const { balance, quantity, amountMinor } = plan;
  if (amountMinor !== undefined) return { amountMinor };
  const cart = cartOf(plan, number);
  const buyer = number === 0 ? 'first buyer' : `buyer ${number}`;
  const wanted =
    cart === undefined ? { sku: balance, quantity } : { lines: cart.map((one) => ({ sku: one, quantity })) };
  return { ...wanted, buyer };
}

/** In a mixed run, buyers with an even number use the other system's strategy. */
function pathOf({ strategy, options, mixedWith, amountMinor, balance }: LoadPlan, number: number): string {
  const other = number > 0 && number % 2 === 0 ? mixedWith?.strategy : undefined;
  const resource = amountMinor === undefined ? 'orders' : `accounts/${balance}/entries`;
  return `/${resource}?${choiceQuery(other ?? strategy, options)}`;
}

/** The fault that request `number` of the load carries; undefined: none. */
function faultFor({ fault }: LoadPlan, number: number): string | undefined {
  if (fault === undefined || fault.on.kind === 'first') return undefined;
  const isHit = fault.on.kind === 'nth' ? number === fault.on.n : number % fault.on.n === 0;
  return isHit ? fault.header : undefined;
}

/** When a request was sent, how long its answer took, and in an open loop how late it was sent. Milliseconds. */
type Times = Pick<ClientAnswer, 'at' | 'tookMs' | 'lateMs'>;

export const clientAnswer = (
  { quantity }: LoadPlan,
  { status, code, replica }: OrderResponse,
  { id, cart }: Pick<BuyerRequest, 'id' | 'cart'>,
  times: Times,
): ClientAnswer => ({
  request: id,
  status,
  code,
  quantity,
  ...(cart !== undefined && { cart }),
  replica,
  ...times,
});
