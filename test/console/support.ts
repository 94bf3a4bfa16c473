import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { request } from 'undici';

const MAIN = resolve('dist', 'apps', 'console', 'src', 'main.js');

export interface Answer<T = Record<string, unknown>> {
  readonly status: number;
  readonly json: T;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What the console reports when it listens. */
interface Started {
  readonly url: string;
  readonly code?: string;
  readonly teacherCode?: string;
  readonly joinUrls?: readonly string[];
}

/** A built console in a process of its own. Its servers for schedules are private. */
export class ConsoleProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly started: Started,
    private readonly empty: string | undefined,
  ) {}

  /** `lab`: the folder of a running lab; absent: there is none. */
  static async start({
    lab,
    isClass = false,
  }: { lab?: string; isClass?: boolean } = {}): Promise<ConsoleProcess> {
    const empty = lab === undefined ? mkdtempSync(join(tmpdir(), 'no-lab-')) : undefined;
    const child = fork(MAIN, [lab ?? empty ?? '', ...(isClass ? ['--class'] : [])], {
      // eslint-disable-next-line no-restricted-properties -- a child needs PATH to find the servers
      env: { ...process.env, PORT: '0', HOST: '127.0.0.1', REPLICA: 'console-1', LAB_ENABLED: 'true' },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const [started] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown];
    if (typeof started !== 'object' || started === null)
      throw new Error(`the console ended: ${String(started)}`);
    return new ConsoleProcess(child, started as Started, empty);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  get url(): string {
    return this.started.url;
  }

  async send<T = Record<string, unknown>>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<T>> {
    const response = await request(`${this.url}${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const json = (await response.body.json()) as T;
    return { status: response.statusCode, json, headers: response.headers };
  }

  get<T = Record<string, unknown>>(
    path: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer<T>> {
    return this.send('GET', path, undefined, headers);
  }

  post<T = Record<string, unknown>>(
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer<T>> {
    return this.send('POST', path, body, headers);
  }

  /** Opens an event stream. `text` resolves when the console ends the stream. */
  async open(
    path: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly text: Promise<string> }> {
    const { statusCode, body } = await request(`${this.url}${path}`, { headers });
    return { status: statusCode, text: body.text() };
  }

  /** The events of a job until it ends; `after`: only those after this id. */
  async events(
    path: string,
    after = 0,
    own: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly id: number; readonly data: Record<string, unknown> }[]> {
    const { text } = await this.open(path, {
      ...own,
      ...(after > 0 && { 'last-event-id': String(after) }),
    });
    return (await text)
      .split('\n\n')
      .filter((block) => block.includes('data: '))
      .map((block) => ({
        id: Number(/^id: (\d+)$/m.exec(block)?.[1]),
        data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? 'null') as Record<string, unknown>,
      }));
  }

  /** Throws when the console does not end by itself on SIGTERM, after it has stopped its servers. */
  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const [code, signal] = (await ended) as [number | null, string | null];
    if (this.empty !== undefined) rmSync(this.empty, { recursive: true, force: true });
    // Nest repeats the signal when all is closed
    if (code !== 0 && signal !== 'SIGTERM')
      throw new Error(`the console ended with ${String(code ?? signal)}`);
  }
}
