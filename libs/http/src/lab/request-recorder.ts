import type { Config } from '#lab/config';
import {
  compose,
  failpoint,
  observe,
  parseFaults,
  Recorder,
  type DecisionLine,
  type Fault,
  type RequestLine,
} from '#lab/step';
import { problem, problemOf, ProblemError } from '../problem';
import { processEffects } from './effects';
import { faultsDisabled } from './fault-guard';
import { PauseHelper } from './pause-helper';

type Decided = Omit<DecisionLine, 'type' | 't' | 'replica' | 'pid'>;
type Begin = Omit<RequestLine, 'type' | 't' | 'replica' | 'pid' | 'app'>;

/** The app whose requests are recorded. */
export interface RecordedApp {
  readonly app: 'order' | 'inventory' | 'account';
  /** The apps that a request to this app passes through: a request may carry faults of each of them. */
  readonly reaches: readonly RecordedApp['app'][];
  /** The schema with the movements of its requests: a pause can last until another request has one. */
  readonly database: string;
}

/**
 * Runs requests under observation: records their steps in the history and fires the faults that they carry. When the lab
 * is disabled, requests run unobserved, and a request that carries a fault is refused.
 */
export class RequestRecorder {
  private readonly recorder: Recorder | undefined;
  /** An unused pause helper, kept for the next request: an import may have thousands of lines before its pause. */
  private spare: PauseHelper | undefined;

  constructor(
    private readonly recorded: RecordedApp,
    private readonly config: Config,
  ) {
    const { historyDir, replica, historyLimitBytes: limitBytes } = config;
    if (config.labEnabled) this.recorder = new Recorder(historyDir, replica, { limitBytes });
  }

  /**
   * The faults of an `x-fault` header that apply to this app. Throws 400 for a syntax error or a fault of an app that the
   * request does not reach, and 403 when the lab is disabled.
   */
  readFaults(header: string | undefined): readonly Fault[] {
    if (header === undefined || header === '') return [];
    if (!this.config.labEnabled) throw faultsDisabled();
    const faults = parseFaults(header);
    const { app: own, reaches } = this.recorded;
    const reached: readonly string[] = reaches;
    const elsewhere = faults.find(({ app }) => !reached.includes(app));
    if (elsewhere !== undefined)
      throw new ProblemError(
        problem(
          'FAULT.UNSUPPORTED',
          `${elsewhere.source} is a fault of the app ${elsewhere.app}, which this request does not reach: ` +
            `nothing was done. Write ${own}:${elsewhere.source.replace(/^[a-z]+:/, '')}`,
        ),
      );
    return faults.filter(({ app }) => app === own);
  }

  /** Runs `body` as the request `begin.request`. `onFault` is called before a fault fires. */
  async record<T>(
    begin: Begin,
    faults: readonly Fault[],
    body: () => Promise<T>,
    onFault: (fault: Fault) => void = () => undefined,
  ): Promise<T> {
    const { recorder } = this;
    const { app, database } = this.recorded;
    if (recorder === undefined) return body();
    const { request } = begin;
    const helpers = faults.length === 0 ? [] : await this.helpersFor(faults);
    const recording = recorder.request({ ...begin, app });
    const failing = failpoint(
      faults,
      processEffects(this.config, database, begin, helpers),
      (fault, { text }) => {
        const { source, action } = fault;
        onFault(fault);
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
    } finally {
      for (const helper of helpers) this.giveBack(helper);
    }
  }

  /** Runs the decision of a rate limiter about a request, under the faults that the request carries. */
  async decide<T>(request: string, faults: readonly Fault[], body: () => Promise<T>): Promise<T> {
    const { recorder } = this;
    if (recorder === undefined || faults.length === 0) return body();
    const helpers = await this.helpersFor(faults);
    const effects = processEffects(this.config, this.recorded.database, { balance: '', request }, helpers);
    const listener = failpoint(faults, effects, ({ source, action }, { text }) => {
      recorder.note({ type: 'fault', request, fault: source, action: action.kind, at: text });
      recorder.flush(true);
    });
    try {
      return await observe({ actor: request, listener }, body);
    } finally {
      for (const helper of helpers) this.giveBack(helper);
    }
  }

  /** Records what a rate limiter has decided. */
  decided(decision: Decided): void {
    this.recorder?.note({ type: 'decision', ...decision });
  }

  /** Records the reset of a balance. */
  reset(balance: string, amount: number): void {
    this.recorder?.makeRoom();
    this.recorder?.note({ type: 'reset', balance, amount });
    this.recorder?.flush();
  }

  /** Records that a strategy's own count was reconciled with the database. */
  reconciled(balance: string, strategy: string, changed: number): void {
    this.recorder?.note({ type: 'reconcile', balance, strategy, changed });
    this.recorder?.flush();
  }

  /** Records that an unfinished order was settled. */
  settled(request: string, outcome: 'completed' | 'given-up'): void {
    this.recorder?.note({ type: 'settled', request, outcome });
    this.recorder?.flush();
  }

  /** Resolves with one ready helper for each pause. */
  private helpersFor(faults: readonly Fault[]): Promise<PauseHelper[]> {
    const pauses = faults.filter(({ action }) => action.kind === 'pause' || action.kind === 'pause-until');
    return Promise.all(
      pauses.map(async () => {
        const { spare } = this;
        this.spare = undefined;
        return spare?.isFree === true ? spare : PauseHelper.start();
      }),
    );
  }

  private giveBack(helper: PauseHelper): void {
    if (helper.isFree && this.spare === undefined) this.spare = helper;
    else helper.release();
  }

  close(): void {
    this.spare?.release();
    this.recorder?.close();
  }
}
