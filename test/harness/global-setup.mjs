// One private Redis and database for the whole run. LAB_TEST_SERVERS='{"redis":"…","mysql":"…"}' uses given ones.
import { rmSync } from 'node:fs';
import { join } from 'node:path';

export default async function setup() {
  if (process.env.LAB_TEST_SERVERS !== undefined) return;
  const root = join(import.meta.dirname, '..', '..');
  const { startProcesses } = await import(join(root, 'dist', 'libs', 'stack', 'src', 'index.js')).catch(
    (cause) => {
      throw new Error('dist/ is missing: run `npm test`, or `npm run build` first', { cause });
    },
  );
  const dir = join(root, '.lab', `test-${process.pid}`);
  const ending = new AbortController();
  const starting = startProcesses({
    dir,
    replicas: { order: 0, inventory: 0 },
    lab: true,
    durability: 'relaxed',
    signal: ending.signal,
  });
  const stopServers = async () => {
    ending.abort();
    const stack = await starting.catch(() => undefined); // a start that fails stops its own processes
    await stack?.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  let stopped;
  globalThis.stopLabTestStack = () => (stopped ??= stopServers());
  // Jest ends at once on a signal: without this its servers would stay. One Ctrl-C arrives more than once: from the terminal, and
  // from the processes that started this one.
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
    ['SIGHUP', 1],
  ])
    process.on(signal, () => void globalThis.stopLabTestStack().finally(() => process.exit(128 + number)));
  process.env.LAB_TEST_SERVERS = JSON.stringify({ ...(await starting).urls, dir });
}
