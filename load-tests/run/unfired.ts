import { count, parseFaults } from '#lab/step';
import type { ClientAnswer } from '#lab/verdict';
import type { FaultOn } from './plan';
import type { LoadRun } from './run-load';

/**
 * Explains why a fault did not fire: the answers of the requests that carried it, and what to change. Undefined when every
 * fault fired, or there was none.
 */
export function whyUnfired({
  plan: { fault, strategy },
  verdict,
  evidences,
}: Pick<LoadRun, 'plan' | 'verdict' | 'evidences'>): string | undefined {
  if (fault === undefined) return undefined;
  const unfired = parseFaults(fault.header).filter(
    ({ source }) => !verdict.faults.some((fired) => fired.fault === source),
  );
  if (unfired.length === 0) return undefined;
  const carriers = (evidences[0]?.answers ?? []).filter(({ request }) => carries(fault.on, request));
  const codes = [...new Set(carriers.map(({ code }) => code))];
  const carried = `${count(carriers.length, 'request')} carried ${unfired.map(({ source }) => source).join('; ')}`;
  const answered = codes.length === 0 ? 'and received no answer' : `and the answer was ${codes.join(' or ')}`;
  return `${carried}, ${answered}. ${adviceFor(codes, strategy)}`;
}

/** Request ids end with the request's number; that of the single buyer before the load ends with `first`. */
function carries(on: FaultOn, request: ClientAnswer['request']): boolean {
  const number = /-(\d+|first)$/.exec(request)?.[1];
  if (on.kind === 'first' || number === 'first') return on.kind === 'first' && number === 'first';
  return on.kind === 'nth' ? Number(number) === on.n : Number(number) % on.n === 0;
}

function adviceFor(codes: readonly string[], strategy: string): string {
  if (codes.includes('LOCK.NOT_OBTAINED') || codes.includes('LOCK.WAIT_TIMEOUT'))
    return 'Increase the time that it waits for the lock (--wait-ms), or reduce --connections';
  if (codes.includes('STOCK.SOLD_OUT')) return 'Increase --stock, or choose an earlier --fault-on';
  return `"lab explore ${strategy}" shows the steps of ${strategy} at which a fault can fire`;
}
