import { Schedule, after, drawLanes, drawMermaid, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

async function playEndedLease(): Promise<Awaited<ReturnType<Schedule['end']>>> {
  const s = await Schedule.begin(world, findStrategy('token-checked'));
  await s.A.runUntil(after('GET'));
  await s.lapse();
  await s.B.runUntil(after('SET'));
  await s.A.finish();
  return s.end();
}

test('each actor has its own lane, faults are drawn across, and the verdict is the last line', async () => {
  const { history, verdict } = await playEndedLease();
  const lines = drawLanes(history, verdict).split('\n');
  expect(lines[0]).toMatch(/^ +A \(p1\) +B \(p2\)$/);
  expect(lines[1]).toMatch(/^ +1 {2}SET lock:token-checked .* ⇒ "OK" +│ +← lock taken$/);
  expect(lines[8]).toBe("   8  ·· A's lease ends   ← lock expired");
  expect(lines[10]).toMatch(/DEL lock:token-checked ⇒ 1 +│ +← ✗ B's lock is gone$/);
  expect(lines.at(-3)).toMatch(/stock 1 → 0, movements: A 1→0$/);
  expect(lines.at(-2)).toMatch(
    /! foreign-release: A released B's lock: A's lease ended at step 8, B took it at step 9/,
  );
  expect(lines.at(-1)).toMatch(/! lock broken, data right$/);
});

test('a key that has the name of the resource in braces keeps both of them', async () => {
  const { history, verdict } = await playEndedLease();
  const events = history.events.map((event) =>
    event.type === 'step'
      ? { ...event, text: event.text.replace('lock:{item}:token-checked', 'lock:{$&}') }
      : event,
  );
  expect(drawLanes({ ...history, events }, verdict)).toMatch(/DEL lock:\{lock:token-checked\} ⇒ 1/);
});

test('a sequence diagram names each request, its reply, and the violation', async () => {
  const { history, verdict } = await playEndedLease();
  const lines = drawMermaid(history, verdict).split('\n');
  expect(lines[0]).toBe('sequenceDiagram');
  expect(lines).toContain('  participant A as A (p1)');
  expect(lines.some((line) => /^ {2}A->>R: 10 DEL lock:item:token-checked$/.test(line))).toBe(true);
  expect(lines.at(-1)).toMatch(/Note over A,DB: A released B's lock/);
});
