import { Client } from 'undici';

const ANSWER_TIMEOUT_MS = 60_000;

/** Keep-alive connections, each used for one request at a time. undici's own pool searches all of its connections for each request. */
export class Connections {
  private readonly clients: Client[] = [];
  private readonly idle: Client[] = [];
  private readonly waiters: ((client: Client) => void)[] = [];

  constructor(
    private readonly url: string,
    private readonly most: number,
  ) {}

  /** An idle connection, or undefined: all are in use. */
  tryAcquire(): Client | undefined {
    const idle = this.idle.pop();
    if (idle !== undefined || this.clients.length >= this.most) return idle;
    const client = new Client(this.url, { headersTimeout: ANSWER_TIMEOUT_MS });
    this.clients.push(client);
    return client;
  }

  /** Resolves when a connection is idle; requests receive one in the order of their calls. */
  acquire(): Promise<Client> {
    return new Promise((resolve) => this.waiters.push(resolve));
  }

  release(client: Client): void {
    const next = this.waiters.shift();
    if (next === undefined) this.idle.push(client);
    else next(client);
  }

  /** Rejects the requests that are in flight. */
  async destroy(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.destroy()));
  }
}
