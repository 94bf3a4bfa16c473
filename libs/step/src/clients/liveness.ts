import { createConnection } from 'mysql2';
import { DependencyDown } from '../seam';

/** A statement without a reply for longer than this makes the server be probed. Milliseconds. */
const SUSPICIOUS_MS = 1000;
const CHECK_EVERY_MS = 250;
/** Smaller error numbers are the operating system's. */
const FIRST_SERVER_ERROR = 1000;

interface PendingReply {
  /** Of a statement: where it was sent. */
  readonly connection: object | undefined;
  readonly since: number;
  timeOut(reason: DependencyDown): void;
}

/**
 * Distinguishes a database that hangs from a statement that waits (for a row lock, for GET_LOCK), which no timeout of a
 * statement could. When a reply is late, a separate connection probes the server; if the server does not greet it and
 * replies to no other statement meanwhile, all late statements fail. Opening a connection is watched like a statement.
 */
export class Liveness {
  private readonly pending = new Set<PendingReply>();
  private watcher: NodeJS.Timeout | undefined;
  private isProbing = false;
  private lastReplyAt = -Infinity;

  /** `answerMs`: time within which the server must greet a new connection. */
  constructor(
    private readonly url: string,
    private readonly answerMs: number,
  ) {}

  /**
   * Resolves with the reply. Rejects with `DependencyDown` when the probe fails first; `abandon` is called before that. Does not
   * settle when the connection is closed without a reply.
   */
  watch<T>(reply: Promise<T>, abandon: () => void, connection?: object): Promise<T> {
    this.watcher ??= setInterval(() => void this.check(), CHECK_EVERY_MS).unref();
    return new Promise((resolve, reject) => {
      const entry: PendingReply = {
        connection,
        since: performance.now(),
        timeOut: (reason) => {
          abandon();
          reject(reason);
        },
      };
      this.pending.add(entry);
      const settled = (): void => {
        this.pending.delete(entry);
      };
      reply.then(settled, settled);
      reply.then((value) => {
        this.lastReplyAt = performance.now();
        resolve(value);
      }, reject);
    });
  }

  /**
   * The connection is closed. mysql2 settles no statement of a connection that its client has destroyed: each would stay
   * pending, and the server would be probed without end.
   */
  closed(connection: object): void {
    for (const entry of this.pending) if (entry.connection === connection) this.pending.delete(entry);
  }

  close(): void {
    clearInterval(this.watcher);
    this.watcher = undefined;
  }

  private async check(): Promise<void> {
    const checkedAt = performance.now();
    const suspicious = (): PendingReply[] =>
      [...this.pending].filter(({ since }) => checkedAt - since > SUSPICIOUS_MS);
    if (this.isProbing || suspicious().length === 0) return;
    this.isProbing = true;
    const isAlive = await this.probe();
    this.isProbing = false;
    if (isAlive || this.lastReplyAt > checkedAt) return;
    // statements that were answered during the probe have left the set
    for (const entry of suspicious()) {
      this.pending.delete(entry);
      entry.timeOut(new DependencyDown('mysql', 'the database does not answer'));
    }
  }

  /** True when the server replies: also with a refusal ("too many connections"), but not with a closed port. */
  private async probe(): Promise<boolean> {
    const connection = createConnection({ uri: this.url, connectTimeout: this.answerMs + 60_000 });
    const greeted = new Promise<boolean>((resolve) => {
      connection.once('connect', () => {
        resolve(true);
      });
      connection.on('error', ({ errno = 0 }: { errno?: number }) => {
        resolve(errno >= FIRST_SERVER_ERROR);
      });
    });
    const isAlive = await Promise.race([greeted, falseAfter(this.answerMs)]);
    connection.destroy();
    return isAlive;
  }
}

/**
 * Resolves with false after `ms`. After SIGSTOP … SIGCONT the timer is overdue while the greeting may already be in the
 * socket: two turns of the event loop read it first.
 */
const falseAfter = (ms: number): Promise<false> =>
  new Promise((resolve) => {
    setTimeout(() => {
      setImmediate(() =>
        setImmediate(() => {
          resolve(false);
        }),
      );
    }, ms).unref();
  });
