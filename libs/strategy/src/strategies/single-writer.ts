import { ChangeCancelled, SoldOut, UnknownBalance, type Change, type Movement } from '#lab/balance';
import type { Decision } from '#lab/locks';
import { OutcomeUnknown } from '#lab/step';
import { randomUUID } from 'node:crypto';
import type { Strategy, Tools } from '../contract';
import { LockLost } from '../shared/errors';
import { answerOrder, releaseIfOwner, run, takeTurn } from '../shared/scripts';
import { lockKey, withLock } from '../shared/with-lock';

const queueKey = (balance: string): string => `queue:{${balance}}`;
const answerKey = (balance: string, ticket: string): string => `answer:{${balance}}:${ticket}`;
/** How long an answer is kept. A client that has not fetched it by then is considered dead. */
const ANSWER_MS = 60_000;

/** An entry of the queue. */
interface Order {
  readonly ticket: string;
  readonly change: Change;
}

export const singleWriter: Strategy = {
  name: 'single-writer',
  mechanism:
    'The stock is not locked: orders queue in a Redis stream. One of the waiting clients holds a lease, applies all changes in order, and answers each of them.',
  defect:
    'Correct even with two writers at a time: each order is decided once, by a row in the transaction of its change. The throughput is that of one writer. The order of a buyer that has died is still executed.',
  source: 'The single-writer principle (Thompson, 2011); Redis documentation, Streams.',
  next: { strategy: 'redis-decr', why: 'makes Redis itself the single writer of the count.' },
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
      // from here on no writer may execute the order; if one has already, its decision is returned
      const decision = await tools.sqlLocks.decisions
        .withdraw(order.ticket, change)
        .catch((cause: unknown) => {
          throw new OutcomeUnknown('the order could not be withdrawn', { cause });
        });
      if (decision.outcome === 'WITHDRAWN') throw error;
      return movementOf(change, decision);
    }
  },
};

/** Waits for the answer, or for the lease of the writer, and then answers all orders. */
async function answerTo({ ticket, change }: Order, tools: Tools): Promise<Decision> {
  const { redis, options } = tools;
  const key = lockKey(change.balance, 'single-writer');
  const token = randomUUID();
  let reply: unknown;
  const writerLock = {
    key,
    tryAcquire: async () => {
      reply = await run(redis, takeTurn, [key, answerKey(change.balance, ticket)], token, options.leaseMs);
      return reply !== 0;
    },
    release: () => (reply === 1 ? run(redis, releaseIfOwner, key, token) : Promise.resolve()),
  };
  return withLock(writerLock, tools, async () => {
    if (typeof reply === 'string') return JSON.parse(reply) as Decision;
    const decision = (await decideAll(change.balance, tools)).get(ticket);
    if (decision === undefined) throw new LockLost(key); // Redis has lost the queue, or another writer has removed the order
    return decision;
  });
}

/** Applies the changes of all waiting orders, in order of arrival. */
async function decideAll(balance: string, { redis, sqlLocks, work }: Tools): Promise<Map<string, Decision>> {
  const decisions = new Map<string, Decision>();
  for (const [id, [, text = '']] of await redis.xrange(queueKey(balance), '-', '+')) {
    const { ticket, change } = JSON.parse(text) as Order;
    const decision = await sqlLocks.decisions.decide(ticket, change, work);
    const keys = [queueKey(balance), answerKey(balance, ticket)] as const;
    await run(redis, answerOrder, keys, id, JSON.stringify(decision), ANSWER_MS);
    decisions.set(ticket, decision);
  }
  return decisions;
}

function movementOf(change: Change, decision: Decision): Movement {
  if (decision.outcome === 'APPLIED') return { ...change, before: decision.before, after: decision.after };
  if (decision.outcome === 'STOCK.UNKNOWN_SKU') throw new UnknownBalance(change.balance);
  if (decision.outcome === 'WITHDRAWN') throw new ChangeCancelled(change);
  throw new SoldOut(change);
}
