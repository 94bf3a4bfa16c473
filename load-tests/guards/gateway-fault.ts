import type { Stack } from '#lab/stack';
import { request } from 'undici';

/** What happens to the message of the first request: no gateway, a late one, or one that receives the message twice. */
export type GatewayFault = 'away' | 'slow' | 'twice';

/** The message gateway of a lab, and its process. */
export class Gateway {
  constructor(
    private readonly stack: Pick<Stack, 'kill' | 'restart' | 'pause' | 'resume'>,
    /** `http://host:port` */
    private readonly url: string,
  ) {}

  /** Sends a request under the fault. Resolves when the gateway is as before, and a late message was delivered. */
  async during(fault: GatewayFault, send: () => Promise<unknown>): Promise<void> {
    switch (fault) {
      case 'away':
        await this.stack.kill('gateway');
        await send();
        await this.stack.restart('gateway');
        return;
      case 'slow':
        await this.stack.pause('gateway');
        await send(); // ends without a reply, and its message is in the gateway's socket
        await this.stack.resume('gateway');
        await this.deliveries(); // the gateway reads its sockets in the order in which they became readable
        return;
      case 'twice':
        await request(`${this.url}/messages/repeat`, { method: 'POST' }).then(({ body }) => body.dump());
        await send();
    }
  }

  private async deliveries(): Promise<unknown> {
    const { body } = await request(`${this.url}/messages`);
    return body.json();
  }
}
