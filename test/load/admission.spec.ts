import { Admission } from '#lab/http';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Requests whose work ends when the spec says so. */
function requests(bounds: { admitted: number; atWork: number; queueMs?: number }) {
  const admission = new Admission({ queueMs: 60_000, ...bounds });
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const send = (name: string): Promise<void> =>
    admission.run(() => {
      begun.push(name);
      return new Promise((resolve, reject) =>
        ends.set(name, (error) => {
          if (error === undefined) resolve();
          else reject(error);
        }),
      );
    });
  const end = async (name: string, error?: Error): Promise<void> => {
    ends.get(name)?.(error);
    await nextTurn();
  };
  return { begun, send, end };
}

test('requests beyond those at work begin in the order of their arrival, one for each that ends', async () => {
  const { begun, send, end } = requests({ admitted: 4, atWork: 2 });
  const all = ['a', 'b', 'c', 'd'].map(send);
  await nextTurn();
  expect(begun).toEqual(['a', 'b']);
  await end('b');
  expect(begun).toEqual(['a', 'b', 'c']);
  await end('a');
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  await end('c');
  await end('d');
  await Promise.all(all);
});

test('a request that finds the queue full is refused and not run; later ones are admitted again', async () => {
  const { begun, send, end } = requests({ admitted: 2, atWork: 1 });
  const first = send('a');
  const second = send('b');
  await expect(send('c')).rejects.toMatchObject({ problem: { code: 'OVERLOADED' } });
  await end('a');
  await end('b');
  await Promise.all([first, second]);
  const third = send('d');
  await end('d');
  await third;
  expect(begun).toEqual(['a', 'b', 'd']);
});

test('a request whose time in the queue is over is refused and not run', async () => {
  const { begun, send, end } = requests({ admitted: 2, atWork: 1, queueMs: 1 });
  const first = send('a');
  const keepsTheProcessAlive = setInterval(() => undefined, 1000);
  await expect(send('b')).rejects.toMatchObject({ problem: { code: 'OVERLOADED' } });
  clearInterval(keepsTheProcessAlive);
  await end('a');
  await first;
  expect(begun).toEqual(['a']);
});

test('a request that fails gives its place to the next one', async () => {
  const { begun, send, end } = requests({ admitted: 2, atWork: 1 });
  const failing = send('a');
  const next = send('b');
  const failed = new Error('its work failed');
  await Promise.all([expect(failing).rejects.toBe(failed), end('a', failed)]);
  expect(begun).toEqual(['a', 'b']);
  await end('b');
  await next;
});
