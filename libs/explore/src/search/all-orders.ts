import type { Harm } from '#lab/verdict';
import { choiceText, type Choice } from '../schedule';
import type { Plan } from './execution';
import type { Counted } from './explorer';
import { worstHarmOf, type Tally } from './tally';
import type { Explorer } from './worker-pool';

/**
 * Numbers of orders of steps: all, and those with a harm that the final data and the answers show. A broken lock with correct data
 * depends on the steps before, and is not counted. Numbers above 2^53 are rounded.
 */
export type OrderCounts = Readonly<Record<'all' | Exclude<Harm, 'lock-broken'>, number>>;

/** What a search has found. */
type Found = Pick<Tally, 'harms'> & {
  readonly partial?: boolean;
  readonly interleavings?: OrderCounts | undefined;
};

/** A complete search has found orders that go wrong, and has not counted them. */
export const isUncounted = ({ interleavings, partial, harms }: Found): boolean =>
  interleavings === undefined && partial !== true && harms['data-wrong'] + harms.unavailable > 0;

export const NO_ORDERS: OrderCounts = { all: 0, 'data-wrong': 0, unavailable: 0 };

/** Of one order with this harm. */
export const oneOrder = (harm: Harm | undefined): OrderCounts => ({
  all: 1,
  'data-wrong': harm === 'data-wrong' ? 1 : 0,
  unavailable: harm === 'unavailable' ? 1 : 0,
});

export const addOrders = (a: OrderCounts, b: OrderCounts): OrderCounts => ({
  all: a.all + b.all,
  'data-wrong': a['data-wrong'] + b['data-wrong'],
  unavailable: a.unavailable + b.unavailable,
});

/** Schedules that are run at most, without another limit. */
export const COUNTED_SCHEDULES = 1000;

interface CountOptions {
  /** Maximum number of schedules. */
  readonly max?: number;
  readonly signal?: AbortSignal | undefined;
  /** Called after every schedule, or batch of schedules. */
  readonly onProgress?: (schedules: number) => void;
}

/**
 * Counts all orders in which the steps and faults of a plan can happen. It runs each step from each state once, and then counts the
 * ways from the first state to each end. Undefined: it ended at a limit.
 */
export async function countAllOrders(
  explorer: Explorer,
  plan: Plan,
  { max = COUNTED_SCHEDULES, signal, onProgress }: CountOptions = {},
): Promise<OrderCounts | undefined> {
  const states = new StateGraph();
  const { partial } = await explorer.explore(
    { ...plan, reduce: false, joinsStates: true },
    {
      max,
      ...(signal && { signal }),
      onSchedule: (prefix, schedule) => {
        states.add(prefix, schedule);
      },
      onProgress: ({ schedules }) => {
        onProgress?.(schedules);
      },
    },
  );
  return partial ? undefined : states.count();
}

/** The states that schedules passed, and where each choice leads from them. */
class StateGraph {
  /** By state: its choices, each with the schedule before it at the first arrival. */
  private readonly choices = new Map<string, readonly string[]>();
  /** The state to which a choice leads, or the end of the schedule. */
  private readonly targets = new Map<string, string | OrderCounts>();

  add(prefix: readonly Choice[], { choices, nodes, tally }: Counted): void {
    let from = textOf(prefix);
    for (const { at, state = textOf(choices.slice(0, at)), awake } of nodes) {
      this.targets.set(from, state);
      if (this.choices.has(state)) return; // from here on, the schedule repeats what was run before
      const before = choices.slice(0, at);
      this.choices.set(
        state,
        awake.map(({ choice }) => textOf([...before, choice])),
      );
      from = textOf(choices.slice(0, at + 1));
    }
    this.targets.set(from, oneOrder(worstHarmOf(tally)?.harm));
  }

  count(): OrderCounts {
    const known = new Map<string, OrderCounts>();
    const after = (choice: string): OrderCounts => {
      const target = this.targets.get(choice) ?? NO_ORDERS;
      if (typeof target !== 'string') return target;
      const counts =
        known.get(target) ?? (this.choices.get(target) ?? []).map(after).reduce(addOrders, NO_ORDERS);
      known.set(target, counts);
      return counts;
    };
    return after(textOf([]));
  }
}

const textOf = (choices: readonly Choice[]): string => choices.map(choiceText).join('');
