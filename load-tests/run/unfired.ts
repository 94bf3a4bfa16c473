import { count, parseFaults } from '#lab/step';
import type { ClientAnswer } from '#lab/verdict';
import type { FaultOn } from './plan';
import type { LoadRun } from './run-load';

/** Faults that did not fire, and the requests that carried them. */
export interface UnfiredFaults {
  readonly faults: readonly string[];
  readonly carriers: number;
  /** The distinct answers of these requests. */
  readonly codes: readonly string[];
  readonly strategy: string;
}

/** Finds the faults that did not fire. Undefined when every fault fired, or there was none. */
export function findUnfired({
  plan: { fault, strategy },
  verdict,
  evidences,
}: Pick<LoadRun, 'plan' | 'verdict' | 'evidences'>): UnfiredFaults | undefined {
  if (fault === undefined) return undefined;
  const faults = parseFaults(fault.header)
    .map(({ source }) => source)
    .filter((source) => !verdict.faults.some((fired) => fired.fault === source));
  if (faults.length === 0) return undefined;
  const carriers = (evidences[0]?.answers ?? []).filter(({ request }) => carries(fault.on, request));
  const codes = [...new Set(carriers.map(({ code }) => code))];
  return { faults, carriers: carriers.length, codes, strategy };
}

/** Request ids end with the request's number; that of the single buyer before the load ends with `first`. */
function carries(on: FaultOn, request: ClientAnswer['request']): boolean {
  const number = /-(\d+|first)$/.exec(request)?.[1];
  if (on.kind === 'first' || number === 'first') return on.kind === 'first' && number === 'first';
  return on.kind === 'nth' ? Number(number) === on.n : Number(number) % on.n === 0;
}

/** Explains why a fault did not fire: the answers of the requests that carried it, and what to change. */
export function unfiredText({ faults, carriers, codes, strategy }: UnfiredFaults): string {
  const carried = `${count(carriers, 'request')} carried ${faults.join('; ')}`;
  const answered = codes.length === 0 ? 'and received no answer' : `and the answer was ${codes.join(' or ')}`;
  const advice: Readonly<Record<Obstacle, string>> = {
    lock: 'Increase the time that it waits for the lock (--wait-ms), or reduce --connections',
    stock: 'Increase --stock, or choose an earlier --fault-on',
    step: `"lab explore ${strategy}" shows the steps of ${strategy} at which a fault can fire`,
  };
  return `${carried}, ${answered}. ${advice[obstacleOf(codes)]}`;
}

/** The same in Chinese. */
export function unfiredInChinese({ faults, carriers, codes, strategy }: UnfiredFaults): string {
  const carried = `${carriers} 个请求带有故障 ${faults.join('；')}`;
  const answered = codes.length === 0 ? '没有得到应答' : `应答是 ${codes.join(' 或 ')}`;
  const advice: Readonly<Record<Obstacle, string>> = {
    lock: '请延长等锁时间（--wait-ms），或减少并发买家（--connections）',
    stock: '请增加库存（--stock），或让更早的请求带故障（--fault-on）',
    step: `"lab explore ${strategy}" 会列出 ${strategy} 的步骤，故障只能在这些步骤触发`,
  };
  return `${carried}，${answered}。${advice[obstacleOf(codes)]}`;
}

/** What kept a request from the step of its fault: it got no lock, it found no stock, or the strategy has no such step. */
type Obstacle = 'lock' | 'stock' | 'step';

function obstacleOf(codes: readonly string[]): Obstacle {
  if (codes.includes('LOCK.NOT_OBTAINED') || codes.includes('LOCK.WAIT_TIMEOUT')) return 'lock';
  return codes.includes('STOCK.SOLD_OUT') ? 'stock' : 'step';
}
