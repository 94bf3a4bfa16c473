/**
 * Scenario: acquire the lock, look whether the message was sent, send it, note it. The process dies after sending.
 *
 * Why it breaks: sending and noting are two systems, and nothing makes them one. Noting first loses the message instead.
 *
 * Fix: note first that the message must be sent, send it with a key, and let the receiver refuse a key that it knows.
 */
import { Schedule, after, type World } from '#lab/explore';
import { findGuard } from '#lab/guard';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, ['gateway']);
});
afterAll(() => world.close());

/** A dies after its step; B, which had to wait, then does what is left. */
async function dieAfter(verb: string, guard: string): Promise<{ kinds: string[]; messages: number }> {
  const s = await Schedule.begin(world, findGuard(guard));
  await s.A.runUntil(after(verb));
  await s.A.kill();
  const { verdict, history } = await s.end();
  return {
    kinds: verdict.violations.map(({ kind }) => kind),
    messages: history.final.effects?.length ?? 0,
  };
}

test('send, then note: the next request finds no note, and sends the message again', async () => {
  expect(await dieAfter('SEND', 'notification/lock')).toEqual({ kinds: ['duplicate'], messages: 2 });
});

test('note, then send: the next request finds the note, and the message is never sent', async () => {
  expect(await dieAfter('INSERT', 'notification/note-first')).toEqual({ kinds: ['missing'], messages: 0 });
});

test.each(['INSERT', 'SEND'])('outbox, death after %s: one message', async (verb) => {
  expect(await dieAfter(verb, 'notification/outbox')).toEqual({ kinds: [], messages: 1 });
});
