import { HistoryBuilder } from './history-builder';

const KEY = 'lock:{load}:redlock';
const SERVERS = ['redis-1', 'redis-2', 'redis-3'];
const orders = new Map<string, number>();

/** A command on one voter, with its position in that voter's own order; without a reply the voter is down. */
function vote(server: string, script: string, reply: unknown): object {
  const text = `EVALSHA ${script} ${KEY}`;
  const about = { verb: 'EVALSHA', script, text, key: KEY, server };
  if (reply === undefined) return { ...about, error: 'Redis is not reachable' };
  const order = (orders.get(server) ?? 0) + 1;
  orders.set(server, order);
  return { ...about, reply, order };
}

/** The replies of the three voters. */
function askVoters(
  history: HistoryBuilder,
  request: string,
  script: string,
  replies: readonly unknown[],
): HistoryBuilder {
  const replica = request === 'a' ? 'inventory-1' : 'inventory-2';
  for (const [i, reply] of replies.entries())
    history.step(request, replica, vote(SERVERS[i] ?? '', script, reply));
  return history;
}
const takes = (history: HistoryBuilder, request: string, ...replies: unknown[]): HistoryBuilder =>
  askVoters(history, request, 'acquire-redlock', replies);
const frees = (history: HistoryBuilder, request: string, ...replies: unknown[]): HistoryBuilder =>
  askVoters(history, request, 'release-redlock', replies);

const history = (): HistoryBuilder => new HistoryBuilder().contention().sells('a').sells('b');

describe('a lock in several servers', () => {
  test('has two holders when both have a majority at work: seen on two servers, reported once', () => {
    const run = takes(takes(history(), 'a', 1, 1, 1).sql('a'), 'b', 1, 1, 0).sql('a');
    expect(run.judge()).toMatchObject({
      violations: ['overlap'],
      overlaps: [{ key: KEY, first: 'a', second: 'b' }],
    });
  });

  test('is not held by a request that got a minority and released it', () => {
    const run = frees(takes(takes(history(), 'a', 1, 1, 0), 'b', 0, 0, 1).sql('a'), 'b', 0, 0, 1).sql('a');
    expect(run.judge()).toMatchObject({ verdict: 'safe', overlaps: [], foreignReleases: [] });
  });

  test('is not held by a request that got it too late and released it at once', () => {
    const late = takes(takes(history(), 'a', 1, 1, 1), 'b', 1, 1, 1).sql('b', 'inventory-2');
    const again = takes(frees(frees(late, 'a', 0, 0, 0), 'b', 1, 1, 1), 'a', 1, 1, 1).sql('a');
    expect(again.judge()).toMatchObject({ verdict: 'safe', overlaps: [] });
  });

  test('is decided with one voter down, and undecided with two down', () => {
    const oneDown = frees(takes(history(), 'a', 1, undefined, 1).sql('a'), 'a', 1, undefined, 1);
    expect(oneDown.judge()).toMatchObject({ verdict: 'safe', undecided: 0 });
    const twoDown = takes(history(), 'a', 1, undefined, undefined).sql('a');
    expect(twoDown.judge()).toMatchObject({ verdict: 'unknown', undecided: 2 });
  });
});

describe('a server killed before the run', () => {
  const refused = (): HistoryBuilder =>
    new HistoryBuilder().contention().answered('a', 'DEPENDENCY.DOWN').answered('b', 'DEPENDENCY.DOWN');

  test('makes the shop unavailable when no purchase succeeds without it', () => {
    const run = takes(refused(), 'a', undefined);
    expect(run.judge({ down: 'redis-1' })).toMatchObject({
      verdict: 'violated',
      violations: ['unavailable'],
      because: ['no order succeeded while redis-1 was down'],
    });
  });

  test('proves nothing when no request needed it', () => {
    const run = frees(takes(history(), 'a', 1, 1, 1).sql('a'), 'a', 1, 1, 1);
    expect(run.judge({ down: 'redis-1' })).toMatchObject({
      verdict: 'unknown',
      because: ['redis-1 was down, but no request used it'],
    });
  });
});
