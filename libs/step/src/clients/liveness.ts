import { createConnection } from 'mysql2';
import { DependencyDown } from '../seam';

/** A statement may go unanswered for so long before the server is asked whether it lives. Milliseconds. */
const SUSPICIOUS_MS = 1000;
const LOOK_EVERY_MS = 250;
/** Smaller numbers are the operating system's. */
const FIRST_SERVER_ERROR = 1000;

interface PendingReply {
  readonly since: number;
  timeOut(reason: DependencyDown): void;
}

/**
 * Tells a database that hangs from a statement that merely waits (for a row lock, for GET_LOCK): no time-out of a
 * statement could. When a reply stays away, the server is asked by a connection of our own; if that is not greeted
 * either, everybody who waits is told that it is down.
 */
export class Liveness {
  private readonly waiting = new Set<PendingReply>();
  private watcher: NodeJS.Timeout | undefined;
  private asking = false;

  /** `answerMs`: the server has so long to greet a new connection. */
  constructor(
    private readonly url: string,
    private readonly answerMs: number,
  ) {}

  /** The reply, or `DependencyDown` when the server is found dead before it comes; `abandon` runs first. */
  watch<T>(reply: Promise<T>, abandon: () => void): Promise<T> {
    this.watcher ??= setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
    return new Promise((resolve, reject) => {
      const waiting: PendingReply = {
        since: performance.now(),
        timeOut: (reason) => {
          abandon();
          reject(reason);
        },
      };
      this.waiting.add(waiting);
      reply.then(resolve, reject).finally(() => this.waiting.delete(waiting));
    });
  }

  close(): void {
    clearInterval(this.watcher);
    this.watcher = undefined;
  }

  private async look(): Promise<void> {
    const asked = performance.now();
    const suspicious = (): PendingReply[] =>
      [...this.waiting].filter(({ since }) => asked - since > SUSPICIOUS_MS);
    if (this.asking || suspicious().length === 0) return;
    this.asking = true;
    const alive = await this.answers();
    this.asking = false;
    if (alive) return;
    // whoever was answered in the meantime has left the list
    for (const waiting of suspicious()) {
      this.waiting.delete(waiting);
      waiting.timeOut(new DependencyDown('mysql', 'the database does not answer'));
    }
  }

  /** A refusal ("too many connections") is an answer; silence and a closed port are none. */
  private async answers(): Promise<boolean> {
    const connection = createConnection({ uri: this.url, connectTimeout: this.answerMs + 60_000 });
    const greeted = new Promise<boolean>((resolve) => {
      connection.once('connect', () => {
        resolve(true);
      });
      connection.on('error', ({ errno = 0 }: { errno?: number }) => {
        resolve(errno >= FIRST_SERVER_ERROR);
      });
    });
    const alive = await Promise.race([greeted, silence(this.answerMs)]);
    connection.destroy();
    return alive;
  }
}

/**
 * False after `ms` — of time in which this process ran: after SIGSTOP … SIGCONT the timer is overdue while the
 * greeting already waits in the socket; two turns of the event loop read it first.
 */
const silence = (ms: number): Promise<false> =>
  new Promise((resolve) => {
    setTimeout(() => {
      setImmediate(() =>
        setImmediate(() => {
          resolve(false);
        }),
      );
    }, ms).unref();
  });
