import { useOf, type Done, type Use } from '#lab/guard';
import { choiceQuery, optionsSchema, type EffectViolationKind } from '#lab/strategy';
import { judgeActionLoad, type ActionVerdict, type AcknowledgedAction } from '#lab/verdict';
import { atRest, faultFired, sendClosedLoop, type ReplicaControl } from '#load-tests/run';
import { randomBytes } from 'node:crypto';
import { request } from 'undici';
import type { ActionTarget } from './action-target';
import { figuresOf } from './figures';
import type { Gateway } from './gateway-fault';
import type { GuardRow } from './rows';

/** A finished load run of a guard. */
export interface GuardRun {
  readonly row: GuardRow;
  readonly verdict: ActionVerdict;
  /** Number of answers by status. */
  readonly answers: Readonly<Record<string, number>>;
  /** What was measured besides, with unit: `numbers per call` → `10`. */
  readonly figures: Readonly<Record<string, string>>;
}

const REQUESTS = 200;
const CONNECTIONS = 20;
const REPLICAS = 2;

/** What only schedules show of a guard: two holders of its lock. */
const SEEN_UNDER_LOAD: ReadonlySet<string> = new Set<EffectViolationKind>([
  'duplicate',
  'missing',
  'stale-write',
  'repeated-work',
  'avalanche',
]);

/** The lab of a run. `gateway`: of the rows with a fault of it. */
export interface GuardLab {
  readonly target: ActionTarget;
  readonly control: ReplicaControl;
  readonly gateway: Gateway | undefined;
}

/** Runs a row: resets the use, sends the first request with the fault, then the load, and judges the effects. */
export async function runGuard(
  { target, control, gateway }: GuardLab,
  row: GuardRow,
  signal: AbortSignal,
): Promise<GuardRun> {
  const { guard, fault, header, requestsPerKey = 2 } = row;
  const use = useOf(guard);
  const replicas = await control.scale(REPLICAS, 'account');
  await control.ready();
  const run = randomBytes(3).toString('hex');
  const keys = Array.from({ length: REQUESTS / requestsPerKey }, (_, i) => `${run}-${i}`);
  await target.resetActions(use.name, keys, row.oldPages);
  const client = new Client(target.labUrl, row, use, run);
  const [firstKey = ''] = keys;
  if (row.gateway !== undefined) await gateway?.during(row.gateway, () => client.send(firstKey));
  const whileFaulty = fault === 'pause' || row.isDuringRestart === true ? keys : [];
  if (header !== undefined) {
    const first = client.send(firstKey, header);
    await faultFired(target, use.name, first, signal);
    await client.load(whileFaulty, requestsPerKey, signal);
    await first;
    if (fault === 'kill') await control.ready(); // the load must not find its replica missing
  }
  if (fault !== 'pause') await client.load(keys, requestsPerKey, signal);
  await control.ready();
  await atRest(target, use.name, signal);
  const { must, may = [] } = row.expected ?? guard.expected[fault] ?? { must: [] };
  const history = await target.history(use.name);
  const verdict = judgeActionLoad(
    {
      rules: use.rules,
      replicas,
      ...(header !== undefined && { fault: header }),
      effects: await target.effects(use.name),
      acknowledged: client.acknowledged,
      history,
    },
    { must: must.filter((kind) => SEEN_UNDER_LOAD.has(kind)), may },
  );
  return { row, verdict, answers: client.answers, figures: figuresOf(row, history, verdict.effects) };
}

/** The clients of one run, and the answers on which they rely. */
class Client {
  readonly acknowledged: AcknowledgedAction[] = [];
  readonly answers: Record<string, number> = {};
  private readonly query: string;
  private readonly method: 'GET' | 'POST';
  private readonly path: string;
  private sent = 0;

  constructor(
    private readonly url: string,
    { guard, options }: GuardRow,
    use: Use,
    private readonly run: string,
  ) {
    const [method, path] = use.endpoint.split(' ') as ['GET' | 'POST', string];
    this.method = method;
    this.path = path;
    const choice = new URLSearchParams(choiceQuery('', optionsSchema.parse(options)));
    choice.delete('strategy');
    choice.set('guard', guard.name.slice(use.name.length + 1));
    this.query = choice.toString();
  }

  /** Sends one request. Resolves also when no answer arrives: its replica may be dead. */
  async send(key: string, fault?: string): Promise<void> {
    const id = this.nextId();
    const { statusCode, body } = await request(`${this.url}${this.pathOf(key)}`, {
      method: this.method,
      headers: { 'x-request-id': id, ...(fault !== undefined && { 'x-fault': fault }) },
    });
    this.note(id, key, statusCode, await body.text());
  }

  /** Sends the requests of all keys, those of one key one after another and at the same time. */
  async load(keys: readonly string[], perKey: number, signal: AbortSignal): Promise<void> {
    if (keys.length === 0) return;
    const keyOf = (number: number): string => keys[Math.floor((number - 1) / perKey)] ?? '';
    const ids = new Map<number, string>();
    const loop = { connections: CONNECTIONS, requests: keys.length * perKey, method: this.method };
    await sendClosedLoop(this.url, loop, {
      signal,
      request: (number) => {
        const id = this.nextId();
        ids.set(number, id);
        return { path: this.pathOf(keyOf(number)), headers: { 'x-request-id': id } };
      },
      onAnswer: ({ number, status, text }) => {
        this.note(ids.get(number) ?? '', keyOf(number), status, text);
      },
    });
    signal.throwIfAborted();
  }

  private pathOf(key: string): string {
    return `${this.path.replace('{key}', key)}?${this.query}`;
  }

  private nextId(): string {
    return `${this.run}-r${++this.sent}`;
  }

  private note(request: string, key: string, status: number, text: string): void {
    this.answers[status] = (this.answers[status] ?? 0) + 1;
    if (status >= 300) return;
    const { outcome, value, page } = JSON.parse(text) as Done;
    if (outcome !== 'nothing-to-do')
      this.acknowledged.push({ request, key: String(value ?? key), ...(page && { staleMs: page.staleMs }) });
  }
}
