import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { ResumeOrder } from './resumer';

/**
 * The helper process (`resumer.ts`) that resumes this one after a pause. It is started before the request that carries the
 * pause: a process takes up to a second to start, and during the request that delay would let leases expire.
 */
export class PauseHelper {
  private hasOrder = false;

  private constructor(private readonly child: ChildProcessByStdio<Writable, Readable, null>) {}

  /** True while the helper runs and has no order. */
  get isFree(): boolean {
    return !this.hasOrder && !this.hasEnded;
  }

  /** Resolves when the helper is ready for its order. Rejects when it could not start. */
  static async start(): Promise<PauseHelper> {
    const child = spawn(process.execPath, [join(__dirname, 'resumer.js')], {
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    child.stdin.on('error', () => undefined); // when the helper has died, `exit` reports it
    child.unref();
    const helper = new PauseHelper(child);
    await helper.nextLine();
    return helper;
  }

  /** Resolves when the helper watches this process, which may then stop. Rejects when the helper has died. */
  async watch(order: ResumeOrder): Promise<void> {
    this.hasOrder = true;
    this.child.stdin.write(`${JSON.stringify(order)}\n`);
    await this.nextLine();
  }

  /** Lets the helper exit: immediately without an order, else after the pause. */
  release(): void {
    this.child.stdin.end();
    this.child.stdout.destroy();
  }

  private get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Resolves when the helper writes its next line. Rejects when it exits. */
  private async nextLine(): Promise<void> {
    const { child } = this;
    if (this.hasEnded) throw helperDied();
    const listening = new AbortController();
    await Promise.race([
      once(child.stdout, 'data', listening),
      once(child, 'exit', listening).then(() => {
        throw helperDied();
      }),
    ]).finally(() => {
      listening.abort();
    });
  }
}

const helperDied = (): Error =>
  new Error(
    'the helper that resumes this process could not start or has died: the pause was not made. Try again',
  );
