import { withTimeLimit } from '#lab/explore';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('a time limit ends a search although only its signal is kept, and garbage is collected', async () => {
  const limited = withTimeLimit(new AbortController().signal, 100);
  const collecting = setInterval(collectGarbage, 10);
  await once(limited, 'abort');
  clearInterval(collecting);
  expect(limited.aborted).toBe(true);
});

test('a limited signal is aborted with the outer one, also when that was aborted before', () => {
  const outer = new AbortController();
  const limited = withTimeLimit(outer.signal, 1_000_000);
  outer.abort();
  expect([limited.aborted, withTimeLimit(outer.signal, 1_000_000).aborted]).toEqual([true, true]);
});

test.each([Infinity, 2 ** 31])('%s ms are no limit: Node would fire such a timer at once', async (ms) => {
  const limited = withTimeLimit(new AbortController().signal, ms);
  await delay(50);
  expect(limited.aborted).toBe(false);
});
