import type { Claim } from './claim';
import { Child, type Command } from './child';
import { StackError } from './errors';
import type { Journal } from './journal';
import { tail } from './paths';
import { get, PROCESS_MS, pollUntil } from './poll';
import type { AppName, Replica } from './types';

/** Milliseconds that a replica may take to finish its requests before it is killed. */
const GRACE_MS = 10_000;
/** Failed starts in a row after which the supervisor gives up. A start fails when the process exits before it was ready. */
const MAX_FAILED_STARTS = 5;
/** Milliseconds between two readiness checks of a process that has just been started. */
const CHECK_EVERY_MS = 20;

interface ReplicaOptions {
  readonly app: AppName;
  readonly url: string;
  readonly command: Command;
  readonly claim: Claim;
  readonly journal: Journal;
  readonly onProgress: (line: string) => void;
}

/** A replica that is started again after every exit that was not requested. */
export class SupervisedReplica {
  private child: Child | undefined;
  /** The last process that answered its readiness check. */
  private lastReady: Child | undefined;
  private starts = 0;
  private failedStarts = 0;
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
    this.failedStarts = 0;
    this.startProcess();
  }

  /** Resolves when it answers its readiness check. @throws StackError STACK.NOT_READY with the end of its log. */
  async ready(): Promise<void> {
    // while a new process starts, only noteReadiness asks it
    const isSettled = async (): Promise<boolean> =>
      this.hasGivenUp || this.isStopped || (this.lastReady === this.child && (await this.isReady()));
    const done = await pollUntil(isSettled, { timeoutMs: PROCESS_MS, everyMs: CHECK_EVERY_MS });
    if (this.isStopped)
      throw new StackError('STACK.STOPPED', `${this.name} was stopped before it was ready.`);
    if (done && !this.hasGivenUp) return;
    const why = this.hasGivenUp
      ? `exited ${MAX_FAILED_STARTS} times before it was ready and is not started again`
      : `does not answer GET ${this.url}/health/ready with 200 after ${PROCESS_MS / 1000} s (it is ${this.snapshot().state})`;
    throw new StackError('STACK.NOT_READY', `${this.name} ${why}. See its log:${this.logTail()}`);
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

  /** Called periodically: records a SIGSTOP or SIGCONT of the process, from any sender. */
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

  private startProcess(): void {
    const child = new Child(this.options.command, this.options.claim);
    this.child = child;
    this.starts += 1;
    this.wasPaused = false;
    void this.noteReadiness(child);
    this.options.journal.write({ type: 'start', replica: this.name, pid: child.pid });
    void child.exit.then(({ code, signal }) => {
      const asked = this.isStopped;
      this.options.journal.write({ type: 'exit', replica: this.name, pid: child.pid, code, signal, asked });
      if (!asked) this.restartAfter(child, signal);
    });
  }

  private async isReady(): Promise<boolean> {
    return (await get(`${this.url}/health/ready`)) !== undefined;
  }

  /** Checks a new process until it is ready or has exited. */
  private async noteReadiness(child: Child): Promise<void> {
    const isOver = async (): Promise<boolean> => {
      if (child.exited !== undefined) return true;
      if (await this.isReady()) this.lastReady = child;
      return this.lastReady === child;
    };
    await pollUntil(isOver, { timeoutMs: Infinity, everyMs: CHECK_EVERY_MS });
  }

  private restartAfter(child: Child, signal: NodeJS.Signals | null): void {
    if (this.lastReady === child) this.failedStarts = 0;
    else if (signal !== 'SIGKILL') this.failedStarts += 1; // SIGKILL is a fault from outside, not a failed start
    if (this.hasGivenUp) {
      this.options.onProgress(
        `error: ${this.name} exited ${MAX_FAILED_STARTS} times before it was ready and is not started again. See its log:${this.logTail()}`,
      );
      return;
    }
    if (this.failedStarts < 2) this.tryToStart();
    else
      this.retry = setTimeout(
        () => {
          this.tryToStart();
        },
        50 * 2 ** this.failedStarts,
      );
  }

  private tryToStart(): void {
    if (this.isStopped) return;
    try {
      this.startProcess();
    } catch (error) {
      this.options.onProgress(`error: ${this.name} could not be started again: ${(error as Error).message}`);
    }
  }

  private get isStopped(): boolean {
    return !this.wanted || this.options.claim.ending.aborted;
  }

  private get hasGivenUp(): boolean {
    return this.failedStarts >= MAX_FAILED_STARTS;
  }

  private logTail(): string {
    return tail(this.options.command.log);
  }

  private running(): Child {
    if (this.child && !this.child.exited) return this.child;
    throw new StackError(
      'STACK.SERVER_DOWN',
      `${this.name} is down. Start it again with restart('${this.name}').`,
    );
  }
}
