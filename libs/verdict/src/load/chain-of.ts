import { checkBooks, checkChain, type Contradiction } from '../chain';
import { groupBy } from '../group-by';
import { runsStrategies, type Evidence, type Movement } from './evidence';

/**
 * Checks that the movements form one chain from the initial to the final stock, in an order that real time allows. A
 * split stock has one chain per segment and one for the sales before the split. A sale is sent when the inventory replica
 * starts its request and answered when the request ends; never, if the replica died.
 */
export function chainOf(evidence: Evidence): Contradiction | undefined {
  const { initial, finalStock, segments } = evidence;
  const toSale = saleIn(evidence);
  const check = evidence.movements.every(({ delta }) => delta < 0) ? checkChain : checkBooks;
  const sold = groupBy(evidence.movements, ({ segment }) => segment);
  const salesOf = (segment: number | null) => (sold.get(segment) ?? []).map(toSale);
  // the split moved the remaining units of the balance's own row into the segments
  const split = segments.reduce((units, segment) => units + segment.initial, 0);
  const inSegments = segments.reduce((units, { amount }) => units + amount, 0);
  const whole = check(initial, finalStock - inSegments + split, salesOf(null));
  if (whole !== undefined) return whole;
  const known = new Set<number | null>(segments.map(({ segment }) => segment));
  const unknown = [...sold.keys()].filter((segment) => segment !== null && !known.has(segment));
  for (const { segment, initial: first, amount } of [
    ...segments,
    ...unknown.map((segment) => ({ segment, initial: 0, amount: 0 })),
  ]) {
    const wrong = check(first, amount, salesOf(segment));
    if (wrong !== undefined) return { ...wrong, sentence: `segment ${segment}: ${wrong.sentence}` };
  }
  return undefined;
}

const saleIn = ({ history }: Evidence) => {
  const asked = new Map<string, number>();
  const answered = new Map<string, number>();
  for (const line of history) {
    if (line.type === 'request' && runsStrategies(line)) asked.set(line.request, line.t);
    if (line.type === 'outcome' && runsStrategies(line)) answered.set(line.request, line.t);
  }
  return ({ request, before, after }: Movement) => ({
    request,
    before,
    after,
    asked: asked.get(request) ?? -Infinity,
    answered: answered.get(request) ?? Infinity,
  });
};
