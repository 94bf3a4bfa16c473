import { SeededRandom } from '#lab/random';
import { percentile } from '#load-tests/figures';
import { execFile } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Agent, request } from 'undici';

export interface ConsoleBenchOptions {
  /** Readers who step through schedules at the same time. */
  readonly steppers: number;
  /** Readers of the events of an exploration that runs meanwhile. */
  readonly readers: number;
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
  /** A running console, and its process id. */
  readonly console: { readonly url: string; readonly pid: number };
}

/** Times of clicks, milliseconds. */
export interface Clicks {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
}

export interface ConsoleBenchResult {
  /** One reader, and nothing else. */
  readonly alone: Clicks;
  /** All steppers, each of whom looks at the page between two clicks. */
  readonly together: Clicks;
  /** The same, while an exploration uses the processors and its events are read. */
  readonly busy: Clicks;
  /** Events that the readers received. */
  readonly events: number;
  /** Of the console and its servers at the end, megabytes (10⁶ bytes). */
  readonly memoryMb: Readonly<Record<string, number>>;
  readonly totalMb: number;
}

/** A person looks at the page before the next click, milliseconds. */
const THINK_MS = 1000;
const STRATEGIES = ['none', 'setnx', 'expiring', 'token-lua', 'watchdog', 'for-update', 'fenced'] as const;

interface StepView {
  readonly token: string;
  readonly isOver: boolean;
  readonly controls: readonly {
    readonly choice: string;
    readonly kind: string;
    readonly disabled?: object;
  }[];
}

/** Measures clicks on the Step page, as the server sees them, and the memory of the console. */
export async function benchConsole(options: ConsoleBenchOptions): Promise<ConsoleBenchResult> {
  const { url, pid } = options.console;
  const agent = new Agent({ connections: 512, headersTimeout: 60_000, bodyTimeout: 0 });
  const post = async (path: string, body: object): Promise<unknown> => {
    const response = await request(`${url}/api${path}`, {
      method: 'POST',
      dispatcher: agent,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = await response.body.json();
    if (response.statusCode < 300) return answer;
    throw new Error(`${path} answered ${response.statusCode}: ${JSON.stringify(answer)}`);
  };
  /** Steps through schedules until the time is over; every click is measured. */
  const step = async (number: number, seconds: number, thinkMs: number): Promise<number[]> => {
    const random = new SeededRandom(number);
    const times: number[] = [];
    const until = performance.now() + seconds * 1000;
    const isOver = (): boolean => performance.now() >= until || options.signal.aborted;
    while (!isOver()) {
      const strategy = STRATEGIES[number % STRATEGIES.length];
      let view = (await post('/steps/begin', { strategy })) as StepView;
      while (!view.isOver && !isOver()) {
        const steps = view.controls.filter(({ kind, disabled }) => kind === 'step' && disabled === undefined);
        const next = steps[random.below(steps.length)];
        if (next === undefined) break;
        const begun = performance.now();
        view = (await post('/steps', { token: view.token, choice: next.choice })) as StepView;
        times.push(performance.now() - begun);
        if (thinkMs > 0) await delay(thinkMs * (0.5 + random.next()), undefined, { ref: false });
      }
    }
    return times;
  };
  try {
    options.onProgress('one reader alone');
    await step(1, 1, 0); // opens its world
    const alone = clicksOf(await step(1, options.seconds / 2, 0));
    const all = (): Promise<number[][]> =>
      Promise.all(Array.from({ length: options.steppers }, (_, i) => step(i + 1, options.seconds, THINK_MS)));
    options.onProgress(`${options.steppers} readers step`);
    const together = clicksOf((await all()).flat());
    options.onProgress(`the same, and ${options.readers} read the events of an exploration`);
    const { job } = (await post('/explorations', {
      strategy: 'watchdog',
      faults: 'pause:1',
      actors: '123',
      seconds: Math.min(600, options.seconds + 60),
    })) as { job: { id: string } };
    const reading = new AbortController();
    setMaxListeners(options.readers, reading.signal);
    let events = 0;
    const readers = Array.from({ length: options.readers }, () =>
      readEvents(`${url}/api/explorations/${job.id}/events`, agent, reading.signal, () => events++),
    );
    const busy = clicksOf((await all()).flat());
    const memoryMb = await memoryOf(pid);
    reading.abort();
    await Promise.all(readers);
    const totalMb = Object.values(memoryMb).reduce((sum, mb) => sum + mb, 0);
    return { alone, together, busy, events, memoryMb, totalMb };
  } finally {
    await agent.destroy();
  }
}

async function readEvents(
  url: string,
  dispatcher: Agent,
  signal: AbortSignal,
  onEvent: () => void,
): Promise<void> {
  try {
    const { body } = await request(url, { dispatcher, signal });
    for await (const chunk of body)
      for (const line of String(chunk).split('\n')) if (line.startsWith('data:')) onEvent();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function clicksOf(times: readonly number[]): Clicks {
  const sorted = [...times].sort((a, b) => a - b);
  return { count: sorted.length, p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) };
}

/** Resident memory of a process and its descendants by program, megabytes. */
async function memoryOf(pid: number): Promise<Record<string, number>> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,ppid=,rss=,comm=']);
  const all = stdout
    .trim()
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [])
    .map(([, id, parent, kb, name = '']) => ({
      id: Number(id),
      parent: Number(parent),
      mb: (Number(kb) * 1024) / 1e6,
      name,
    }));
  const sizes: Record<string, number> = {};
  const waiting = [pid];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const { id, parent, mb, name } of all) {
      if (parent === next) waiting.push(id);
      if (id === next) sizes[name] = (sizes[name] ?? 0) + mb;
    }
  }
  return sizes;
}
