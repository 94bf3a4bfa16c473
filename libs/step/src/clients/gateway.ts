import { Agent, request } from 'undici';
import { DependencyDown, step } from '../seam';

export interface SteppedGatewayOptions {
  /** `http://host:port[/namespace]`: messages of different namespaces are kept apart. */
  readonly url: string;
  /** Milliseconds without a reply after which a call fails as `DependencyDown`. */
  readonly timeoutMs?: number;
}

/** A message that the gateway has delivered. `number` counts the deliveries of the namespace from 1. */
export interface Delivery {
  readonly number: number;
  readonly to: string;
  readonly text: string;
  readonly request: string;
}

/** A message to a customer. */
export interface Message {
  readonly to: string;
  readonly text: string;
  /** The request that sends it. */
  readonly request: string;
  /** The gateway delivers a message with a known key only once. Absent: it delivers every message it receives. */
  readonly key?: string;
}

const TIMEOUT_MS = 800;

/** The client of the message gateway, with every delivery passing the seam. */
export class SteppedGateway {
  private readonly agent = new Agent({ connections: 32 });

  constructor(private readonly options: SteppedGatewayOptions) {}

  /** Sends a message. Throws `DependencyDown` when the gateway does not answer: it may have delivered the message. */
  async send({ to, text, request: sender, key }: Message): Promise<void> {
    const once = key === undefined ? '' : ` with key ${key}`;
    await step(
      () => ({ kind: 'http', verb: 'SEND', text: `SEND "${text}" to ${to}${once}` }),
      () =>
        this.call('POST', '/messages', {
          body: JSON.stringify({ to, text, request: sender }),
          headers: {
            'content-type': 'application/json',
            ...(key !== undefined && { 'idempotency-key': key }),
          },
        }),
    );
  }

  /** Everything that the gateway has delivered, in order. Not a step: for verdicts. */
  async deliveries(): Promise<readonly Delivery[]> {
    return (await this.call('GET', '/messages')) as readonly Delivery[];
  }

  /** Forgets all deliveries and keys of the namespace. Not a step. */
  async clear(): Promise<void> {
    await this.call('DELETE', '/messages');
  }

  disconnect(): void {
    void this.agent.destroy();
  }

  private async call(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    more: { readonly body?: string; readonly headers?: Record<string, string> } = {},
  ): Promise<unknown> {
    const { url, timeoutMs = TIMEOUT_MS } = this.options;
    try {
      const { statusCode, body } = await request(`${url}${path}`, {
        method,
        dispatcher: this.agent,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        signal: AbortSignal.timeout(timeoutMs),
        ...more,
      });
      const text = await body.text();
      if (statusCode < 300) return text === '' ? undefined : (JSON.parse(text) as unknown);
      throw new DependencyDown('gateway', `the gateway answered ${statusCode} to ${method} ${path}`);
    } catch (error) {
      if (error instanceof DependencyDown) throw error;
      throw new DependencyDown('gateway', `the gateway did not answer ${method} ${path}`, { cause: error });
    }
  }
}
