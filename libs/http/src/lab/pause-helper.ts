import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { ResumeOrder } from './resumer';

/**
 * The helper process (`resumer.ts`) that resumes this one after a pause. It is started before the request that carries the
 * pause begins: a process needs up to a second to start, in which a lease would end and others would be served.
 */
export class PauseHelper {
  private hasOrder = false;

  private constructor(private readonly child: ChildProcessByStdio<Writable, Readable, null>) {}

  /** It waits for an order. */
  get isFree(): boolean {
    return !this.hasOrder && !this.hasEnded;
  }

  /** Resolves when the helper waits for its order. */
  static async start(): Promise<PauseHelper> {
    const child = spawn(process.execPath, [join(__dirname, 'resumer.js')], {
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    child.stdin.on('error', () => undefined); // it has died: its exit says so
    child.unref();
    const helper = new PauseHelper(child);
    await helper.says();
    return helper;
  }

  /** Resolves when the helper watches this process, which may stop now. */
  async watch(order: ResumeOrder): Promise<void> {
    this.hasOrder = true;
    this.child.stdin.write(`${JSON.stringify(order)}\n`);
    await this.says();
  }

  /** A helper without an order ends; one that watches ends after the pause. */
  release(): void {
    this.child.stdin.end();
    this.child.stdout.destroy();
  }

  private get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Resolves at its next line. */
  private async says(): Promise<void> {
    const { child } = this;
    if (this.hasEnded) throw couldNotStart();
    const heard = new AbortController();
    await Promise.race([
      once(child.stdout, 'data', heard),
      once(child, 'exit', heard).then(() => {
        throw couldNotStart();
      }),
    ]).finally(() => {
      heard.abort();
    });
  }
}

const couldNotStart = (): Error =>
  new Error('the helper that resumes this process could not start: the pause was not made');
