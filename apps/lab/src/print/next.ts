import { parseFaults } from '#lab/step';
import { CATALOGUE, findStrategy } from '#lab/strategy';
import type { LoadPlan } from '#load-tests/run';
import type { LoadVerdict } from '#lab/verdict';

/** The fault of an exploration that corresponds to what happens in a load run; empty: none. */
function faultOf({ strategy, options, fault }: LoadPlan): string {
  const [action] = fault === undefined ? [] : parseFaults(fault.header).map((one) => one.action.kind);
  if (action === 'kill') return 'kill:1';
  if (action === 'pause' || action === 'pause-until' || action === 'block' || action === 'delay')
    return 'pause:1';
  if (action === 'error') return 'error:1';
  if (action === 'lose-reply') return 'lose-reply:1';
  const hasLease = findStrategy(strategy).options.includes('leaseMs');
  return hasLease && options.workMs > options.leaseMs ? 'lapse:1' : '';
}

/** The strategy that the catalogue names as the next rung; undefined: its text begins with no name. */
export function nextRung(strategy: string): string | undefined {
  const [word = ''] = findStrategy(strategy).next.split(/[\s,:;(]/);
  return CATALOGUE.find(({ name }) => name === word)?.name;
}

/** What to type next: the same in every order of steps, and the next rung under the same load. */
export function nextCommands(plan: LoadPlan, { mark }: Pick<LoadVerdict, 'mark'>): string[] {
  const { strategy, carts, replicas, amountMinor } = plan;
  const faults = faultOf(plan);
  const explore = [
    `npx lab explore ${strategy}`,
    ...(faults === '' ? [] : [`--faults ${faults}`]),
    ...(carts === undefined ? [] : ['--crossed-carts']),
    ...(replicas === 1 ? ['--same-process'] : []),
  ].join(' ');
  const rung = nextRung(strategy);
  const isHarmed = mark === 'data-wrong' || mark === 'unavailable';
  return [
    `${isHarmed ? 'step by step' : 'in every order'}  ${explore}`,
    ...(isHarmed && rung !== undefined && amountMinor === undefined
      ? [`next rung     npx lab load --strategy ${rung}${loadOptions(plan)}`]
      : []),
  ];
}

/** The numbers of a load, for the same one with another strategy. */
function loadOptions({ options, stock, requests, connections, replicas, carts }: LoadPlan): string {
  const given: readonly (readonly [string, string | number])[] = [
    ['stock', stock],
    ['requests', requests],
    ['connections', connections],
    ...(replicas === 2 ? [] : [['replicas', replicas] as const]),
    ...(options.workMs === 0 ? [] : [['work-ms', options.workMs] as const]),
    ...(options.leaseMs === 5000 ? [] : [['lease-ms', options.leaseMs] as const]),
    ...(options.waitMs === 2000 ? [] : [['wait-ms', options.waitMs] as const]),
    ...(carts === undefined ? [] : [['carts', carts.map((cart) => cart.join(',')).join('/')] as const]),
  ];
  return given.map(([name, value]) => ` --${name} ${value}`).join('');
}
