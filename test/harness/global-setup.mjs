// A private Redis and database for each worker of jest: suites that run at the same time neither wait for one another nor see
// connections of one another. LAB_TEST_SERVERS='[{"redis":"…","mysql":"…"}]' uses given ones.
import { join } from 'node:path';

export default async function setup({ maxWorkers }) {
  if (process.env.LAB_TEST_SERVERS !== undefined) return;
  const root = join(import.meta.dirname, '..', '..');
  const { startOwnServers } = await import(join(root, 'dist', 'libs', 'stack', 'src', 'index.js')).catch(
    (cause) => {
      throw new Error('dist/ is missing: run `npm test`, or `npm run build` first', { cause });
    },
  );
  const ending = new AbortController();
  // the name of a folder ends with the pid of its creator: `foldersLeftIn` of libs/stack
  const start = (number) =>
    startOwnServers(join(root, '.lab', `test-${number}-${process.pid}`), { signal: ending.signal });
  const stacks = Array.from({ length: maxWorkers }, (_, i) => start(i + 1));
  const stopServers = async () => {
    ending.abort();
    await Promise.all(stacks.map(({ stop }) => stop()));
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
  const started = await Promise.all(stacks.map(({ started }) => started)).catch(async (error) => {
    await globalThis.stopLabTestStack();
    throw error;
  });
  const [{ dir }] = stacks; // with the optional servers of all workers
  process.env.LAB_TEST_SERVERS = JSON.stringify(started.map(({ urls }) => ({ ...urls, dir })));
}
