import { HistoryBuilder } from './history-builder';

const KEY = 'lock:{load}:redlock';
const SERVERS = ['redis-1', 'redis-2', 'redis-3'];
const orders = new Map<string, number>();

/** A command on one voter, with its place in that voter's own order; no reply: the voter is away. */
function vote(server: string, script: string, reply: unknown): object {
  const text = `EVALSHA ${script} ${KEY}`;
  const about = { verb: 'EVALSHA', script, text, key: KEY, server };
  if (reply === undefined) return { ...about, error: 'Redis is not reachable' };
  const order = (orders.get(server) ?? 0) + 1;
  orders.set(server, order);
  return { ...about, reply, order };
}

/** What each of the three voters answers. */
function ask(
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
  ask(history, request, 'acquire-redlock', replies);
const frees = (history: HistoryBuilder, request: string, ...replies: unknown[]): HistoryBuilder =>
  ask(history, request, 'release-redlock', replies);

const history = (): HistoryBuilder => new HistoryBuilder().contention().sells('a').sells('b');

describe('a lock in several servers', () => {
  test('has two holders when two have a majority at work: seen at two servers, told once', () => {
    const run = takes(takes(history(), 'a', 1, 1, 1).sql('a'), 'b', 1, 1, 0).sql('a');
    expect(run.judge()).toMatchObject({
      violations: ['overlap'],
      overlaps: [{ key: KEY, first: 'a', second: 'b' }],
    });
  });

  test('is not held by who got a minority and gave it back', () => {
    const run = frees(takes(takes(history(), 'a', 1, 1, 0), 'b', 0, 0, 1).sql('a'), 'b', 0, 0, 1).sql('a');
    expect(run.judge()).toMatchObject({ verdict: 'safe', overlaps: [], foreignReleases: [] });
  });

  test('is not held by who got it too late and gave it back at once', () => {
    const late = takes(takes(history(), 'a', 1, 1, 1), 'b', 1, 1, 1).sql('b', 'inventory-2');
    const again = takes(frees(frees(late, 'a', 0, 0, 0), 'b', 1, 1, 1), 'a', 1, 1, 1).sql('a');
    expect(again.judge()).toMatchObject({ verdict: 'safe', overlaps: [] });
  });

  test('one that is away leaves nothing undecided, two do', () => {
    const one = frees(takes(history(), 'a', 1, undefined, 1).sql('a'), 'a', 1, undefined, 1);
    expect(one.judge()).toMatchObject({ verdict: 'safe', undecided: 0 });
    const two = takes(history(), 'a', 1, undefined, undefined).sql('a');
    expect(two.judge()).toMatchObject({ verdict: 'unknown', undecided: 2 });
  });
});

describe('a server that was killed before the buyers came', () => {
  const refused = (): HistoryBuilder =>
    new HistoryBuilder().contention().told('a', 'DEPENDENCY.DOWN').told('b', 'DEPENDENCY.DOWN');

  test('and without which nobody could buy, makes the shop unavailable', () => {
    const run = takes(refused(), 'a', undefined);
    expect(run.judge({ down: 'redis-1' })).toMatchObject({
      verdict: 'violated',
      violations: ['unavailable'],
      because: ['no order succeeded while redis-1 was down'],
    });
  });

  test('and that nobody asked proves nothing', () => {
    const run = frees(takes(history(), 'a', 1, 1, 1).sql('a'), 'a', 1, 1, 1);
    expect(run.judge({ down: 'redis-1' })).toMatchObject({
      verdict: 'unknown',
      because: ['redis-1 was down, and no request needed it'],
    });
  });
});
