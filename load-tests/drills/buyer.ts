import { projectRoot, stateOf } from '#lab/stack';
import { monotonic } from '#lab/step';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { FromBuyer, Breakpoint, Purchase, BuyerConfig, ToBuyer } from './messages';

export type Step = Extract<FromBuyer, { type: 'step' }>;
type End = Extract<FromBuyer, { type: 'end' }>;

/** Longer than every lease and wait of a drill. Milliseconds. */
const PATIENCE_MS = 60_000;

/** One buyer: a process of its own, with connections of its own, that buys one unit and is held where the drill says. */
export class Buyer {
  readonly steps: Step[] = [];
  private ended: End | undefined;
  private dead = false;
  private readonly said: ((message: FromBuyer) => void)[] = [];

  private constructor(
    readonly name: string,
    private readonly child: ChildProcess,
    onMessage: (message: FromBuyer) => void,
  ) {
    child.on('message', (message: FromBuyer) => {
      if (message.type === 'step') this.steps.push(message);
      if (message.type === 'end') this.ended = message;
      onMessage(message);
      for (const hear of [...this.said]) hear(message); // a copy: each may take itself off the list
    });
    child.on('exit', () => {
      this.dead = true;
    });
  }

  /** Resolves when it is connected to everything. */
  static async seat(seat: BuyerConfig, onMessage: (message: FromBuyer) => void): Promise<Buyer> {
    const child = fork(join(projectRoot(), 'dist', 'load-tests', 'drills', 'buyer-process.js'), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: ['--no-warnings'],
    });
    const buyer = new Buyer(seat.name, child, onMessage);
    const seated = buyer.hear(({ type }) => type === 'seated' || type === 'end');
    buyer.send({ type: 'sit', seat });
    const message = await seated;
    if (message.type === 'end') throw new Error(`${seat.name} has no connection: ${message.text}`);
    return buyer;
  }

  /** Buys once more, on the same connections and with the same module instances. It must have ended. */
  async again(purchase: Purchase): Promise<void> {
    this.ended = undefined;
    this.steps.length = 0;
    const seated = this.hear(({ type }) => type === 'seated');
    this.send({ type: 'next', purchase });
    await seated;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** What it came to: `APPLIED`, a stable code, `DIED`; undefined while it runs. */
  get outcome(): string | undefined {
    return this.dead ? 'DIED' : this.ended?.code;
  }

  /** When it was told what it came to, CLOCK_MONOTONIC in microseconds. */
  get endedAt(): number | undefined {
    return this.ended?.at;
  }

  get text(): string {
    return this.dead ? 'its process was killed' : (this.ended?.text ?? '');
  }

  /** Goes on until it is held at the mark. Throws when it ends before. */
  async runUntil(mark: Breakpoint): Promise<void> {
    const stopped = this.hear(({ type }) => type === 'held' || type === 'end');
    this.send({ type: 'go', until: mark });
    const message = await stopped;
    if (message.type === 'end')
      throw new Error(`${this.name} never gets ${mark.when} ${mark.name}: it ended with ${message.code}`);
  }

  /** Goes on, and does not wait for it. */
  goOn(until?: Breakpoint): void {
    this.send({ type: 'go', ...(until !== undefined && { until }) });
  }

  /** Goes on to its end. */
  async finish(): Promise<void> {
    if (this.outcome !== undefined) return;
    const end = this.hear(({ type }) => type === 'end');
    this.goOn();
    await end;
  }

  /** Resolves when it has ended; it must have been let go. */
  async end(): Promise<void> {
    if (this.outcome === undefined) await this.hear(({ type }) => type === 'end');
  }

  /** Its last step of this verb or script that was answered, if there is one. */
  answered(name: string): Step | undefined {
    return this.steps.findLast(
      ({ verb, script, error }) => error === undefined && (verb === name || script === name),
    );
  }

  /** The server gave it what it asked for by this verb or script: neither nothing nor 0. */
  took(name: string): boolean {
    const reply = this.answered(name)?.reply;
    return reply !== undefined && reply !== null && reply !== 0;
  }

  /** Resolves with the first such step, of those that were and those that come. */
  async step(wanted: (step: Step) => boolean): Promise<Step> {
    const before = this.steps.find(wanted);
    if (before !== undefined) return before;
    await this.hear((message) => message.type === 'step' && wanted(message));
    return this.step(wanted);
  }

  /** SIGKILL; resolves when the process is gone. */
  async kill(): Promise<void> {
    if (this.dead) return;
    const exit = once(this.child, 'exit');
    this.child.kill('SIGCONT');
    this.child.kill('SIGKILL');
    await exit;
  }

  /** SIGSTOP; true when the kernel says that it stands still. */
  async pause(): Promise<boolean> {
    this.child.kill('SIGSTOP');
    const until = monotonic() + 2_000_000;
    while (!this.standsStill && monotonic() < until) await new Promise((resolve) => setImmediate(resolve));
    return this.standsStill;
  }

  resume(): void {
    this.child.kill('SIGCONT');
  }

  private get standsStill(): boolean {
    return stateOf(this.pid).startsWith('T');
  }

  private send(message: ToBuyer): void {
    this.child.send(message);
  }

  /** The next message that is wanted. Rejects when the process is gone or silent for too long. */
  private hear(wanted: (message: FromBuyer) => boolean): Promise<FromBuyer> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        this.child.off('exit', gone);
        this.said.splice(this.said.indexOf(hear), 1);
      };
      const fail = (why: string): void => {
        stop();
        reject(new Error(`${this.name} ${why}`));
      };
      const gone = (): void => {
        fail('died');
      };
      const hear = (message: FromBuyer): void => {
        if (!wanted(message)) return;
        stop();
        resolve(message);
      };
      const timer = setTimeout(() => {
        fail(`says nothing for ${PATIENCE_MS / 1000} s`);
      }, PATIENCE_MS);
      this.child.once('exit', gone);
      this.said.push(hear);
    });
  }
}
