import type { Config } from '#lab/config';
import {
  compose,
  failpoint,
  observe,
  parseFaults,
  Recorder,
  type Fault,
  type RequestLine,
  type SteppedDataSource,
} from '#lab/step';
import { problem, problemOf, ProblemError } from '../problem';
import { processEffects } from './effects';

type Begin = Omit<RequestLine, 'type' | 't' | 'replica' | 'pid' | 'app'>;

/** How the history begins a cart. */
export function cartLine(
  request: string,
  lines: readonly { readonly sku: string; readonly quantity: number }[],
): Pick<RequestLine, 'request' | 'balance' | 'delta' | 'cart'> {
  const cart = lines.map(({ sku, quantity }) => ({ balance: sku, delta: -quantity }));
  const { balance, delta } = cart[0] ?? { balance: '', delta: 0 };
  return { request, balance, delta, cart };
}

/**
 * Runs requests under the eyes of the lab: each request's steps are recorded, and the faults that it carries fire.
 * When the lab is disabled nobody listens, and a request that carries a fault is refused.
 */
export class Story {
  private readonly recorder: Recorder | undefined;

  constructor(
    private readonly app: 'order' | 'inventory' | 'account',
    private readonly config: Config,
  ) {
    if (config.labEnabled) this.recorder = new Recorder(config.historyDir, config.replica);
  }

  /** The faults of an `x-fault` header that are meant for this app. Throws 400 or 403. */
  readFaults(header: string | undefined): readonly Fault[] {
    if (header === undefined || header === '') return [];
    if (!this.config.labEnabled) {
      throw new ProblemError(
        problem('FAULT.DISABLED', 'x-fault is obeyed only when the lab is enabled (LAB_ENABLED=true)'),
      );
    }
    return parseFaults(header).filter(({ app }) => app === this.app);
  }

  /** Runs `body` as the request `begin.request`. */
  async tell<T>(begin: Begin, faults: readonly Fault[], body: () => Promise<T>): Promise<T> {
    const { recorder, app } = this;
    if (recorder === undefined) return body();
    const { request } = begin;
    const recording = recorder.request({ ...begin, app });
    const { inventoryDatabase, accountDatabase } = this.config;
    const database = app === 'account' ? accountDatabase : inventoryDatabase;
    const failing = failpoint(
      faults,
      processEffects(this.config, database, begin),
      ({ source, action }, { text }) => {
        recorder.note({ type: 'fault', request, fault: source, action: action.kind, at: text });
        recorder.flush(true);
      },
    );
    const listener = faults.length === 0 ? recording : compose(failing, recording);
    try {
      const result = await observe({ actor: request, listener, ordered: true }, body);
      recorder.note({ type: 'outcome', app, request, code: 'APPLIED' });
      return result;
    } catch (error) {
      recorder.note({ type: 'outcome', app, request, code: problemOf(error).code });
      throw error;
    }
  }

  /** Marks that a balance was set anew. */
  reset(balance: string, amount: number): void {
    this.recorder?.note({ type: 'reset', balance, amount });
    this.recorder?.flush();
  }

  /** Notes that a strategy's own count was brought together with the database. */
  reconciled(balance: string, strategy: string, changed: number): void {
    this.recorder?.note({ type: 'reconcile', balance, strategy, changed });
    this.recorder?.flush();
  }

  /** Notes that an order which was left half-way has been brought to its end. */
  settled(request: string, outcome: 'completed' | 'given-up'): void {
    this.recorder?.note({ type: 'settled', request, outcome });
    this.recorder?.flush();
  }

  close(): void {
    this.recorder?.close();
  }
}

/** The readiness check of a data source. */
export const pingDatabase = (dataSource: SteppedDataSource) => (): Promise<unknown> =>
  dataSource.query('SELECT 1');
