import { choiceQuery } from '#lab/strategy';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import type { LoadPlan } from './plan';
import { TargetError, type AccountTarget } from './target';

/** Interval of every replica's scan, and the time limit of the import and of the settling. Milliseconds. */
const SCAN_EVERY_MS = 100;
const SETTLED_MS = 60_000;

/** One line of the answer to an import. */
interface Report {
  readonly type: string;
  readonly line?: number;
}

/**
 * Runs `traffic` while an import and the scans of all replicas change the same account. Returns its result, and the
 * entries that were confirmed meanwhile: import lines that were not reported as wrong, and pending entries that were
 * settled. Throws `TargetError` when the import does not end with a summary, and the reason of an aborted signal.
 */
export async function withOthersBeside<T>(
  target: AccountTarget,
  plan: LoadPlan,
  traffic: () => Promise<T>,
  signal?: AbortSignal,
): Promise<{ result: T; confirmed: readonly { request: string }[] }> {
  const {
    beside = { importLines: 0, pending: 0 },
    balance: account,
    strategy,
    options,
    amountMinor = 1,
  } = plan;
  for (let i = 0; i < beside.pending; i++) await target.addPending(account, amountMinor);
  await target.scanEvery(SCAN_EVERY_MS, choiceQuery(strategy, options));
  try {
    const importing = importLines(target, plan, beside.importLines);
    const [result, imported] = await Promise.all([traffic(), importing]).catch(async (error: unknown) => {
      await importing.catch(() => undefined); // nothing may change the account when this has ended
      throw error;
    });
    const settled = await settledOf(target, account, signal);
    return { result, confirmed: [...imported, ...settled].map((entry) => ({ request: entry })) };
  } finally {
    await target.scanEvery(0);
  }
}

/** Sends an import of `count` lines; returns the request ids of the entries that it made. */
async function importLines(
  target: AccountTarget,
  { balance: account, strategy, options, amountMinor = 1 }: LoadPlan,
  count: number,
): Promise<readonly string[]> {
  if (count === 0) return [];
  const batch = `load-${randomBytes(4).toString('hex')}`;
  const { statusCode, body } = await request(
    `${target.publicUrl}/accounts/${account}/imports?batch=${batch}&${choiceQuery(strategy, options)}`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: `${JSON.stringify({ amountMinor })}\n`.repeat(count),
      bodyTimeout: SETTLED_MS,
    },
  );
  const text = await body.text();
  const reports = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Report]));
  if (statusCode !== 200 || reports.at(-1)?.type !== 'summary')
    throw new TargetError(`the import did not end with a summary: ${statusCode} ${text.slice(-300)}`);
  const wrong = new Set(reports.flatMap(({ type, line }) => (type === 'error' ? [line] : [])));
  return Array.from({ length: count }, (_, i) => i + 1)
    .filter((line) => !wrong.has(line))
    .map((line) => `${batch}:${line}`);
}

/** Waits until nothing is pending; returns the entries that were settled. */
async function settledOf(
  target: AccountTarget,
  account: string,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const until = performance.now() + SETTLED_MS;
  for (;;) {
    const entries = await target.pending(account);
    const isDone = entries.every(({ state }) => state !== 'pending');
    if (isDone || performance.now() > until)
      return entries.flatMap(({ entry, state }) => (state === 'settled' ? [entry] : []));
    await delay(100, undefined, { signal });
  }
}
