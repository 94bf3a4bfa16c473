import {
  ChangeCancelled,
  SoldOut,
  UnknownBalance,
  type Change,
  type Decision,
  type Movement,
} from '#lab/balance';
import { OutcomeUnknown } from '#lab/step';
import { randomUUID } from 'node:crypto';
import type { Strategy, Tools } from '../contract';
import { LockLost } from '../shared/errors';
import { answerOrder, releaseIfOwner, run, takeTurn } from '../shared/scripts';
import { lockKey, withLock } from '../shared/with-lock';

const queueKey = (balance: string): string => `queue:{${balance}}`;
const answerKey = (balance: string, ticket: string): string => `answer:{${balance}}:${ticket}`;
/** Who has not fetched its answer by then is gone. Milliseconds. */
const ANSWER_MS = 60_000;

/** What stands in the queue. */
interface Order {
  readonly ticket: string;
  readonly change: Change;
}

export const singleWriter: Strategy = {
  name: 'single-writer',
  mechanism:
    'Nobody locks the stock: orders queue in a Redis stream, and one of those who wait, the holder of a lease, makes all changes in their order and answers each.',
  defect:
    'Correct, also when two believe to be the one: each order is decided on once, by a row in the transaction of its change. No faster than one writer; an order whose buyer has died is still carried out.',
  source: 'The single-writer principle (Thompson, 2011); Redis documentation, Streams.',
  next: 'redis-decr lets Redis itself be the one writer of the count.',
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  keys: (balance) => [queueKey(balance)],
  lacks: [],
  expected: {
    'holder-killed': { must: ['orphan'], may: [] },
    'work-outlives-lease': { must: ['overlap'], may: [] },
  },

  async apply(change, tools) {
    const order = { ticket: randomUUID(), change };
    try {
      await tools.redis.xadd(queueKey(change.balance), '*', 'order', JSON.stringify(order));
      return movementOf(change, await answerTo(order, tools));
    } catch (error) {
      if (error instanceof SoldOut || error instanceof UnknownBalance) throw error;
      // nobody may sell to us any more, unless somebody has
      const decision = await tools.balances.decisions
        .withdraw(order.ticket, change)
        .catch((cause: unknown) => {
          throw new OutcomeUnknown('the order could not be withdrawn', { cause });
        });
      if (decision.outcome === 'WITHDRAWN') throw error;
      return movementOf(change, decision);
    }
  },
};

/** Waits for the answer, or for the turn to be the one who answers. */
async function answerTo({ ticket, change }: Order, tools: Tools): Promise<Decision> {
  const { redis, options } = tools;
  const key = lockKey(change.balance, 'single-writer');
  const token = randomUUID();
  let reply: unknown;
  const turn = {
    key,
    tryAcquire: async () => {
      reply = await run(redis, takeTurn, [key, answerKey(change.balance, ticket)], token, options.leaseMs);
      return reply !== 0;
    },
    release: () => (reply === 1 ? run(redis, releaseIfOwner, key, token) : Promise.resolve()),
  };
  return withLock(turn, tools, async () => {
    if (typeof reply === 'string') return JSON.parse(reply) as Decision;
    const decision = (await serve(change.balance, tools)).get(ticket);
    if (decision === undefined) throw new LockLost(key); // Redis has forgotten the queue, or another one served us
    return decision;
  });
}

/** Makes the changes of all who wait, in the order in which they came. */
async function serve(balance: string, { redis, balances, work }: Tools): Promise<Map<string, Decision>> {
  const made = new Map<string, Decision>();
  for (const [id, [, text = '']] of await redis.xrange(queueKey(balance), '-', '+')) {
    const { ticket, change } = JSON.parse(text) as Order;
    const decision = await balances.decisions.decide(ticket, change, work);
    const keys = [queueKey(balance), answerKey(balance, ticket)] as const;
    await run(redis, answerOrder, keys, id, JSON.stringify(decision), ANSWER_MS);
    made.set(ticket, decision);
  }
  return made;
}

function movementOf(change: Change, decision: Decision): Movement {
  if (decision.outcome === 'APPLIED') return { ...change, before: decision.before, after: decision.after };
  if (decision.outcome === 'STOCK.UNKNOWN_SKU') throw new UnknownBalance(change.balance);
  if (decision.outcome === 'WITHDRAWN') throw new ChangeCancelled(change);
  throw new SoldOut(change);
}
