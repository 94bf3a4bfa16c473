import type { Claim } from './claim';
import { Child, type Command } from './child';
import { StackError } from './errors';
import type { Journal } from './journal';
import { tail } from './paths';
import { get, until } from './poll';
import type { AppName, Replica } from './types';

/** A replica may finish its requests for so long before it is killed. */
const GRACE_MS = 10_000;
/** A life shorter than this counts as a failed start … */
const SHORT_LIFE_MS = 1000;
/** … and after so many in a row the supervisor gives up. */
const SHORT_LIVES = 5;

interface ReplicaOptions {
  readonly app: AppName;
  readonly url: string;
  readonly command: Command;
  readonly claim: Claim;
  readonly journal: Journal;
  readonly onProgress: (line: string) => void;
}

/** One replica through all its lives: an exit that nobody asked for is followed by a start. */
export class SupervisedReplica {
  private child: Child | undefined;
  private starts = 0;
  private shortLives = 0;
  private wanted = false;
  private wasPaused = false;
  private retry: NodeJS.Timeout | undefined;

  constructor(private readonly options: ReplicaOptions) {}

  get name(): string {
    return this.options.command.name;
  }

  get app(): AppName {
    return this.options.app;
  }

  get url(): string {
    return this.options.url;
  }

  snapshot(): Replica {
    const { child } = this;
    const up = child !== undefined && !child.exited;
    const state = up ? (child.paused ? 'paused' : 'up') : 'down';
    return {
      name: this.name,
      app: this.app,
      url: this.url,
      pid: up ? child.pid : 0,
      starts: this.starts,
      state,
    };
  }

  start(): void {
    this.wanted = true;
    this.shortLives = 0;
    this.live();
  }

  /** Resolves when it answers its readiness check. @throws StackError STACK.NOT_READY with the end of its log. */
  async ready(timeoutMs: number): Promise<void> {
    const isReady = async (): Promise<boolean> => (await get(`${this.url}/health/ready`)) !== undefined;
    const settled = async (): Promise<boolean> => this.hasGivenUp || this.isOver || (await isReady());
    const done = await until(settled, { timeoutMs, everyMs: 20 });
    if (this.isOver) throw new StackError('STACK.STOPPED', `${this.name} was stopped before it was ready.`);
    if (done && !this.hasGivenUp) return;
    const why = this.hasGivenUp
      ? `died ${SHORT_LIVES} times right after its start, so it is no longer started`
      : `does not answer GET ${this.url}/health/ready with 200 after ${timeoutMs / 1000} s (it is ${this.snapshot().state})`;
    throw new StackError('STACK.NOT_READY', `${this.name} ${why}. Its log says why:${this.logTail()}`);
  }

  async kill(): Promise<void> {
    await this.running().kill();
  }

  async pause(): Promise<void> {
    await this.running().pause();
    this.watch();
  }

  resume(): void {
    this.running().signal('SIGCONT');
  }

  async stop(): Promise<void> {
    this.wanted = false;
    clearTimeout(this.retry);
    await this.child?.stop(GRACE_MS);
  }

  /** Called again and again: records that the process was stopped or continued, whoever did it. */
  watch(): void {
    const { child } = this;
    if (!child || child.exited || child.paused === this.wasPaused) return;
    this.wasPaused = child.paused;
    this.options.journal.write({
      type: this.wasPaused ? 'stopped' : 'resumed',
      replica: this.name,
      pid: child.pid,
    });
  }

  private live(): void {
    const child = new Child(this.options.command, this.options.claim);
    this.child = child;
    this.starts += 1;
    this.wasPaused = false;
    this.options.journal.write({ type: 'start', replica: this.name, pid: child.pid });
    void child.exit.then(({ code, signal }) => {
      const asked = this.isOver;
      this.options.journal.write({ type: 'exit', replica: this.name, pid: child.pid, code, signal, asked });
      if (!asked) this.liveAgain(child, signal);
    });
  }

  private liveAgain(child: Child, signal: NodeJS.Signals | null): void {
    const short = performance.now() - child.startedAt < SHORT_LIFE_MS;
    if (!short) this.shortLives = 0;
    else if (signal !== 'SIGKILL') this.shortLives += 1; // killed by somebody: that was no failed start
    if (this.hasGivenUp) {
      this.options.onProgress(
        `error: ${this.name} died ${SHORT_LIVES} times right after its start:${this.logTail()}`,
      );
      return;
    }
    if (this.shortLives < 2) this.tryToLive();
    else
      this.retry = setTimeout(
        () => {
          this.tryToLive();
        },
        50 * 2 ** this.shortLives,
      );
  }

  private tryToLive(): void {
    if (this.isOver) return;
    try {
      this.live();
    } catch (error) {
      this.options.onProgress(`error: ${this.name} could not be started again: ${(error as Error).message}`);
    }
  }

  private get isOver(): boolean {
    return !this.wanted || this.options.claim.ending.aborted;
  }

  private get hasGivenUp(): boolean {
    return this.shortLives >= SHORT_LIVES;
  }

  private logTail(): string {
    return tail(this.options.command.log);
  }

  private running(): Child {
    if (this.child && !this.child.exited) return this.child;
    throw new StackError(
      'STACK.SERVER_DOWN',
      `${this.name} is down: restart('${this.name}') starts it again.`,
    );
  }
}
