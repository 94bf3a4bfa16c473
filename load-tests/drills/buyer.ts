import { pollUntil, projectRoot, stateOf } from '#lab/stack';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { FromBuyer, Breakpoint, Purchase, BuyerConfig, ToBuyer } from './messages';

export type Step = Extract<FromBuyer, { type: 'step' }>;
type End = Extract<FromBuyer, { type: 'end' }>;

/** Longer than every lease and wait of a drill. */
const MESSAGE_TIMEOUT_MS = 60_000;

/** A buyer in its own process with its own connections. It buys one unit and can be held at breakpoints. */
export class Buyer {
  readonly steps: Step[] = [];
  private ended: End | undefined;
  private dead = false;
  private readonly listeners: ((message: FromBuyer) => void)[] = [];

  private constructor(
    readonly name: string,
    private readonly child: ChildProcess,
    onMessage: (message: FromBuyer) => void,
  ) {
    child.on('message', (message: FromBuyer) => {
      if (message.type === 'step') this.steps.push(message);
      if (message.type === 'end') this.ended = message;
      onMessage(message);
      for (const listener of [...this.listeners]) listener(message); // a copy: a listener may remove itself
    });
    child.on('exit', () => {
      this.dead = true;
    });
  }

  /** Starts a buyer; resolves when it is connected to all servers. */
  static async start(config: BuyerConfig, onMessage: (message: FromBuyer) => void): Promise<Buyer> {
    const child = fork(join(projectRoot(), 'dist', 'load-tests', 'drills', 'buyer-process.js'), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: ['--no-warnings'],
    });
    const buyer = new Buyer(config.name, child, onMessage);
    const connected = buyer.nextMessage(({ type }) => type === 'connected' || type === 'end');
    buyer.send({ type: 'start', config });
    const message = await connected;
    if (message.type === 'end') throw new Error(`Buyer ${config.name} could not connect: ${message.text}`);
    return buyer;
  }

  /** Prepares another purchase on the same connections and with the same module instances. The last one must have ended. */
  async again(purchase: Purchase): Promise<void> {
    this.ended = undefined;
    this.steps.length = 0;
    const prepared = this.nextMessage(({ type }) => type === 'connected');
    this.send({ type: 'next', purchase });
    await prepared;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** `APPLIED`, a stable error code, or `DIED`; undefined while the purchase runs. */
  get outcome(): string | undefined {
    return this.dead ? 'DIED' : this.ended?.code;
  }

  /** When the buyer received its outcome, CLOCK_MONOTONIC in microseconds. */
  get endedAt(): number | undefined {
    return this.ended?.at;
  }

  get text(): string {
    return this.dead ? 'its process was killed' : (this.ended?.text ?? '');
  }

  /** Lets the buyer run until it is held at the breakpoint. Rejects when it ends before. */
  async runUntil(breakpoint: Breakpoint): Promise<void> {
    const stopped = this.nextMessage(({ type }) => type === 'held' || type === 'end');
    this.send({ type: 'go', until: breakpoint });
    const message = await stopped;
    if (message.type === 'end')
      throw new Error(
        `Buyer ${this.name} ended with ${message.code} and never stopped ${breakpoint.when} ${breakpoint.name}`,
      );
  }

  /** Lets the buyer run to the breakpoint or to its end, without waiting for it. */
  goOn(until?: Breakpoint): void {
    this.send({ type: 'go', ...(until !== undefined && { until }) });
  }

  /** Lets the buyer run to its end; resolves when it has ended. */
  async finish(): Promise<void> {
    if (this.outcome !== undefined) return;
    const end = this.nextMessage(({ type }) => type === 'end');
    this.goOn();
    await end;
  }

  /** Resolves when the buyer has ended; it must not be held. */
  async end(): Promise<void> {
    if (this.outcome === undefined) await this.nextMessage(({ type }) => type === 'end');
  }

  /** The last answered step of this verb or script, if there is one. */
  answered(name: string): Step | undefined {
    return this.steps.findLast(
      ({ verb, script, error }) => error === undefined && (verb === name || script === name),
    );
  }

  /** Whether the last answered step of this verb or script had a reply other than null and 0, e.g. took the lock. */
  took(name: string): boolean {
    const reply = this.answered(name)?.reply;
    return reply !== undefined && reply !== null && reply !== 0;
  }

  /** Resolves with the first matching step, past or future. */
  async step(wanted: (step: Step) => boolean): Promise<Step> {
    const before = this.steps.find(wanted);
    if (before !== undefined) return before;
    await this.nextMessage((message) => message.type === 'step' && wanted(message));
    return this.step(wanted);
  }

  /** SIGKILL; resolves when the process has exited. */
  async kill(): Promise<void> {
    if (this.dead) return;
    const exit = once(this.child, 'exit');
    this.child.kill('SIGCONT');
    this.child.kill('SIGKILL');
    await exit;
  }

  /** SIGSTOP; resolves with true when the kernel reports the process as stopped. */
  async pause(): Promise<boolean> {
    this.child.kill('SIGSTOP');
    return pollUntil(() => stateOf(this.pid).startsWith('T'), { timeoutMs: 2000, everyMs: 1 });
  }

  resume(): void {
    this.child.kill('SIGCONT');
  }

  private send(message: ToBuyer): void {
    this.child.send(message);
  }

  /** The next matching message. Rejects when the process exits or sends none for `MESSAGE_TIMEOUT_MS`. */
  private nextMessage(wanted: (message: FromBuyer) => boolean): Promise<FromBuyer> {
    return new Promise((resolve, reject) => {
      const unsubscribe = (): void => {
        clearTimeout(timer);
        this.child.off('exit', onExit);
        this.listeners.splice(this.listeners.indexOf(listener), 1);
      };
      const fail = (why: string): void => {
        unsubscribe();
        reject(new Error(`Buyer ${this.name} ${why}`));
      };
      const onExit = (): void => {
        fail('died');
      };
      const listener = (message: FromBuyer): void => {
        if (!wanted(message)) return;
        unsubscribe();
        resolve(message);
      };
      if (this.dead || this.child.exitCode !== null) {
        reject(new Error(`Buyer ${this.name} died`));
        return;
      }
      const timer = setTimeout(() => {
        fail(`sent no expected message for ${MESSAGE_TIMEOUT_MS / 1000} s`);
      }, MESSAGE_TIMEOUT_MS);
      this.child.once('exit', onExit);
      this.listeners.push(listener);
    });
  }
}
