import { Worker } from 'node:worker_threads';
import type { Plan, Subtree } from './execution';
import type { Counted } from './explorer';
import { Pulse, afterText, type Whereabouts, type WorldOptions } from '../world';

/** A plan as a message: the strategy by name, and by file when it is not in the catalogue. */
export type PlanMessage = Omit<Plan, 'setup'> & {
  readonly setup: Omit<Plan['setup'], 'strategy'> & {
    readonly strategy: string;
    readonly module?: string;
  };
};

/** The plan that the next subtrees belong to, or a subtree of it. */
export type WorkMessage = { readonly plan: PlanMessage } | { readonly subtree: Subtree };

/** The result; or the error. */
export type DoneMessage = Counted | { readonly error: string; readonly name: string; readonly stack: string };

/** A subtree that was sent, and what takes its answer. */
interface Question {
  readonly resolve: (counted: Counted) => void;
  readonly reject: (error: Error) => void;
}

/** Milliseconds between two looks at a busy thread. */
const LOOK_MS = 250;
/** Looks in a row without a beat before `onStuck` is called (1.5 s), and before the thread is terminated (10 s). */
const SAID_AFTER = 6;
const ENDED_AFTER = 40;

/** Milliseconds that a stopping thread has to close its connections. */
const CLOSE_MS = 3000;

/** A worker thread that runs subtrees in their order, on its own world. */
export class ExploringThread {
  /** In the order in which they were sent, which is that of the answers. */
  private readonly questions: Question[] = [];
  private watching: NodeJS.Timeout | undefined;
  /** Called when the code of an actor keeps the thread busy. */
  private onStuck: ((where: Whereabouts) => void) | undefined;

  private constructor(
    private readonly thread: Worker,
    private readonly pulse: Pulse,
  ) {
    thread.on('message', (done: DoneMessage) => {
      this.answer(done);
    });
    for (const event of ['error', 'exit'])
      thread.on(event, (error: unknown) => {
        this.fail(new WorkerDied(error instanceof Error ? (error.stack ?? error.message) : HAS_ENDED));
      });
  }

  /** Subtrees without an answer. */
  get outstanding(): number {
    return this.questions.length;
  }

  /** Resolves when the thread has opened its world. */
  static start(file: string, options: WorldOptions): Promise<ExploringThread> {
    const pulse = new Pulse();
    const thread = new Worker(file, { workerData: { ...options, pulse: pulse.memory } });
    return new Promise((resolve, reject) => {
      thread.once('message', () => {
        thread.off('error', reject);
        resolve(new ExploringThread(thread, pulse));
      });
      thread.once('error', reject);
    });
  }

  /** The plan of the subtrees that follow. */
  begin(plan: PlanMessage, onStuck: ((where: Whereabouts) => void) | undefined): void {
    this.onStuck = onStuck;
    this.send({ plan });
  }

  /**
   * Runs the first schedule of a subtree, after those that were sent before. Rejects when the thread dies, because an error in
   * a strategy's own timer, which no request awaits, ends it, and when its code loops without end.
   */
  run(subtree: Subtree): Promise<Counted> {
    return new Promise((resolve, reject) => {
      if (this.hasEnded) {
        reject(new WorkerDied(HAS_ENDED));
        return;
      }
      this.send({ subtree });
      this.questions.push({ resolve, reject });
      this.watching ??= this.watch();
    });
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      if (this.hasEnded) {
        resolve();
        return;
      }
      const tooLate = setTimeout(() => void this.thread.terminate(), CLOSE_MS);
      this.thread.once('exit', () => {
        clearTimeout(tooLate);
        resolve();
      });
      this.thread.postMessage('stop');
    });
  }

  /** A terminated worker has this id. */
  private get hasEnded(): boolean {
    return this.thread.threadId === -1;
  }

  private send(message: WorkMessage): void {
    this.thread.postMessage(message);
  }

  private answer(done: DoneMessage): void {
    const question = this.questions.shift();
    if (this.questions.length === 0) this.stopWatching();
    if ('error' in done)
      question?.reject(Object.assign(new Error(done.error), { name: done.name, stack: done.stack }));
    else question?.resolve(done);
  }

  private fail(error: Error): void {
    this.stopWatching();
    for (const { reject } of this.questions.splice(0)) reject(error);
  }

  /**
   * Looks whether the event loop of the thread turns. Counts looks, not time: a process that was stopped finds its threads as
   * they were.
   */
  private watch(): NodeJS.Timeout {
    const { pulse } = this;
    let seen = pulse.beats;
    let silent = 0;
    return setInterval(() => {
      const { beats, whereabouts } = pulse;
      silent = beats === seen ? silent + 1 : 0;
      seen = beats;
      if (whereabouts === undefined) return;
      if (silent === SAID_AFTER) this.onStuck?.(whereabouts);
      if (silent < ENDED_AFTER) return;
      this.fail(new EndlessLoop(whereabouts));
      void this.thread.terminate();
    }, LOOK_MS);
  }

  private stopWatching(): void {
    clearInterval(this.watching);
    this.watching = undefined;
  }
}

const HAS_ENDED = 'its thread has ended';

/** The code of an actor loops without waiting for anything, so that nothing else runs in its thread. */
export class EndlessLoop extends Error {
  readonly code = 'EXPLORE.ENDLESS_LOOP';

  constructor(where: Whereabouts) {
    super(
      `${stuckText(where)}: its code loops without awaiting anything, and the search was ended. Await a timer or a command in the loop, so that other actors can run`,
    );
    this.name = 'EndlessLoop';
  }
}

/** `A does not return after "SET lock:{item}:setnx"`. */
export const stuckText = ({ actor, after }: Whereabouts): string =>
  `${actor} does not return ${afterText(after)}`;

export class WorkerDied extends Error {
  constructor(why: string) {
    super(
      `an explorer worker died, so the search is incomplete. Look for a timer or promise of the strategy that its request does not await: ${why}`,
    );
    this.name = 'WorkerDied';
  }
}
