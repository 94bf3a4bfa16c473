import { parseFaults } from '#lab/step';
import { faultOfAction, findStrategy } from '#lab/strategy';
import type { LoadPlan } from '#load-tests/run';
import type { LoadVerdict } from '#lab/verdict';
import { relative } from 'node:path';

/** A command that follows from a run, and what it shows. */
interface NextCommand {
  readonly what: string;
  readonly command: string;
}

/** The fault budget of an exploration that corresponds to a load run; empty: no fault. */
function faultBudgetOf({ strategy, options, fault }: LoadPlan): string {
  const [action] = fault === undefined ? [] : parseFaults(fault.header).map((one) => one.action.kind);
  const isSlow = findStrategy(strategy).options.includes('leaseMs') && options.workMs > options.leaseMs;
  const injected = action === undefined ? undefined : faultOfAction(action);
  const name = injected ?? (isSlow ? 'slow' : undefined);
  if (name === undefined) return '';
  return name === 'slow' ? 'lapse:1' : `${name}:1`; // a schedule without work time has no work to slow down
}

/** The fault hits the order app, which no exploration has. */
const hitsOrders = ({ fault }: LoadPlan): boolean => fault?.header.startsWith('order:') === true;

/** The same strategy in every interleaving; after a violation also the next strategy under the same load. */
export function nextCommands(plan: LoadPlan, { mark }: Pick<LoadVerdict, 'mark'>): NextCommand[] {
  const { strategy, carts, replicas, amountMinor, mixedWith } = plan;
  const faults = faultBudgetOf(plan);
  const { module, next } = findStrategy(strategy);
  if (module !== undefined)
    return [
      { what: 'In every interleaving, with faults', command: `npx lab verify ${relative('', module)}` },
    ];
  if (hitsOrders(plan)) return [];
  const explore = [
    `npx lab explore ${strategy}`,
    ...(faults === '' ? [] : [`--faults ${faults}`]),
    ...(carts === undefined ? [] : ['--crossed-carts']),
    ...(mixedWith === undefined ? [] : [`--beside ${mixedWith.strategy}`]),
    ...(replicas === 1 ? ['--same-process'] : []),
  ].join(' ');
  const isHarmed = mark === 'data-wrong' || mark === 'unavailable';
  return [
    { what: isHarmed ? 'Step by step' : 'In every interleaving', command: explore },
    ...(isHarmed && next.strategy !== undefined && amountMinor === undefined && mixedWith === undefined
      ? [
          {
            what: 'The next strategy under the same load',
            command: `npx lab load --strategy ${next.strategy}${loadOptions(plan)}`,
          },
        ]
      : []),
  ];
}

/** The options of a load that differ from the defaults, for the same load with another strategy. */
function loadOptions({ options, stock, replicas, carts, ...traffic }: LoadPlan): string {
  const given: readonly (readonly [string, string | number])[] = [
    ['stock', stock],
    ...driverOptions(traffic),
    ...(replicas === 2 ? [] : [['replicas', replicas] as const]),
    ...(options.workMs === 0 ? [] : [['work-ms', options.workMs] as const]),
    ...(options.leaseMs === 5000 ? [] : [['lease-ms', options.leaseMs] as const]),
    ...(options.waitMs === 2000 ? [] : [['wait-ms', options.waitMs] as const]),
    ...(carts === undefined ? [] : [['carts', carts.map((cart) => cart.join(',')).join('/')] as const]),
  ];
  return given.map(([name, value]) => ` --${name} ${value}`).join('');
}

function driverOptions({
  openLoop,
  requests,
  connections,
}: Pick<LoadPlan, 'openLoop' | 'requests' | 'connections'>): readonly (readonly [string, string | number])[] {
  if (openLoop === undefined)
    return [
      ['requests', requests],
      ['connections', connections],
    ];
  const { perSecond, seconds, arrivals, seed } = openLoop;
  return [
    ['rate', perSecond],
    ['seconds', seconds],
    arrivals === 'poisson' ? ['seed', seed] : ['arrivals', arrivals],
  ];
}
