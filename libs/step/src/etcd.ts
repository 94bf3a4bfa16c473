import { Etcd3, EtcdLeaseInvalidError, isRecoverableError } from 'etcd3';
import { answered } from './answered';
import { DependencyDown, SessionLost } from './errors';
import { step, type Step } from './step';

export interface SteppedEtcdOptions {
  /** `http://host:port[/prefix]`: all keys begin with the prefix. */
  readonly url: string;
  /** Milliseconds without a reply after which a call fails as `DependencyDown`. */
  readonly timeoutMs?: number;
}

/** A key that exists. */
export interface EtcdKey {
  readonly key: string;
  readonly value: string;
  /** Number of the change that made it: grows for ever, whoever makes the key. A fencing token. */
  readonly revision: number;
  /** The lease that it lives and dies with; absent: it stays. */
  readonly lease?: string;
}

/** Every answer says how many changes the store has seen. */
interface Answer {
  readonly header: { readonly revision: string };
}

/** etcd3 would retry three times and then refuse for five seconds: a call that was lost is lost, and the next one is tried. */
const asItComes = {
  execute: async <T>(call: (context: object) => T | PromiseLike<T>): Promise<T> => call({}),
  onSuccess: () => ({ dispose: () => undefined }),
  onFailure: () => ({ dispose: () => undefined }),
};

/** etcd's plain calls (etcd3), each passing the seam. A call without a reply fails after `timeoutMs`. */
export class SteppedEtcd {
  private readonly client: Etcd3;
  private readonly prefix: string;
  private readonly timeoutMs: number;

  constructor({ url, timeoutMs = 800 }: SteppedEtcdOptions) {
    const { origin, pathname } = new URL(url);
    this.prefix = pathname === '/' ? '' : `${pathname.slice(1)}/`;
    this.timeoutMs = timeoutMs;
    this.client = new Etcd3({
      hosts: origin,
      grpcOptions: { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 500 },
      faultHandling: { host: () => asItComes as never, global: asItComes as never },
    });
  }

  /** A lease of `ms` milliseconds, rounded up to seconds; the server may grant more. Returns its id. */
  grant(ms: number): Promise<string> {
    const seconds = Math.ceil(ms / 1000);
    return this.call('GRANT', `${seconds} s`, undefined, async () => {
      const granted = await this.client.leaseClient.leaseGrant({ TTL: seconds, ID: 0 });
      return [granted, granted.ID];
    });
  }

  /** The lease counts from now again. False when it has ended. */
  keepAlive(lease: string, key: string): Promise<boolean> {
    return this.call('KEEPALIVE', `the lease of ${key}`, key, async () => {
      const stream = await this.client.leaseClient.leaseKeepAlive();
      try {
        const reply = new Promise<Answer & { TTL: string }>((resolve, reject) => {
          stream.on('data', resolve);
          stream.on('error', reject);
        });
        stream.write({ ID: lease });
        const kept = await reply;
        return [kept, kept.TTL !== '0'];
      } finally {
        stream.end();
      }
    });
  }

  /** The lease ends, and its keys are gone. False when it had ended. */
  revoke(lease: string, key: string): Promise<boolean> {
    return this.call('REVOKE', `the lease of ${key}`, key, async () => {
      try {
        return [await this.client.leaseClient.leaseRevoke({ ID: lease }), true];
      } catch (error) {
        if (error instanceof EtcdLeaseInvalidError) return [undefined, false];
        throw error;
      }
    });
  }

  /** Makes the key, to live as long as the lease, if it is not there. Returns it as it is now. */
  create(key: string, value: string, lease: string): Promise<EtcdKey> {
    return this.call('PUT', `${key} ${value}`, key, async () => {
      const name = this.at(key);
      const made = await this.client.kv.txn({
        compare: [{ key: name, target: 'Create', result: 'Equal', create_revision: 0 }],
        success: [{ request_put: { key: name, value: Buffer.from(value), lease } }],
        failure: [{ request_range: { key: name } }],
      });
      const found = made.succeeded ? undefined : made.responses[0]?.response_range.kvs[0];
      return [made, { key, value, lease, revision: Number(found?.create_revision ?? made.header.revision) }];
    });
  }

  /** Of the keys in the same folder that were made before ours the last one; undefined: ours is the first. Throws `SessionLost` when ours is gone. */
  predecessor({ key, revision }: EtcdKey): Promise<EtcdKey | undefined> {
    const folder = key.slice(0, key.lastIndexOf('/') + 1);
    return this.call('RANGE', `${folder} made before ours`, key, async () => {
      const request = {
        ...this.folder(folder),
        sort_target: 'Create' as const,
        sort_order: 'Descend' as const,
        max_create_revision: revision - 1,
        limit: 1,
      };
      const answer = await this.client.kv.txn({
        compare: [{ key: this.at(key), target: 'Create', result: 'Equal', create_revision: revision }],
        success: [{ request_range: request }],
        failure: [],
      });
      if (!answer.succeeded) throw new SessionLost('etcd');
      const [found] = answer.responses[0]?.response_range.kvs ?? [];
      return [answer, found === undefined ? undefined : this.readKey(found)];
    });
  }

  /** The keys of a folder, in the order in which they were made. */
  list(folder: string): Promise<EtcdKey[]> {
    return this.call('RANGE', folder, folder, async () => {
      const range = { ...this.folder(folder), sort_target: 'Create' as const, sort_order: 'Ascend' as const };
      const answer = await this.client.kv.range(range);
      return [answer, answer.kvs.map((found) => this.readKey(found))];
    });
  }

  /** Deletes all keys of a folder. */
  deleteAll(folder: string): Promise<void> {
    return this.call('DELETE', folder, folder, async () => [
      await this.client.kv.deleteRange(this.folder(folder)),
      undefined,
    ]);
  }

  /** Milliseconds that are left of a lease, in whole seconds; undefined when it has ended. */
  timeToLive(lease: string): Promise<number | undefined> {
    return this.call('TTL', 'of a lease', undefined, async () => {
      const answer = await this.client.leaseClient.leaseTimeToLive({ ID: lease });
      return [answer, Number(answer.TTL) < 0 ? undefined : 1000 * Number(answer.TTL)];
    });
  }

  /** Resolves when the key, as it is, has been deleted, or `signal` is aborted: also when that was before the call. */
  async removed({ key, revision }: EtcdKey, signal: AbortSignal): Promise<void> {
    const watcher = this.client
      .watch()
      .key(this.at(key))
      .only('delete')
      .startRevision(String(revision))
      .watcher();
    watcher.on('error', () => undefined);
    await new Promise<void>((resolve) => {
      watcher.on('delete', () => {
        resolve();
      });
      signal.addEventListener('abort', () => {
        resolve();
      });
    });
    void watcher.cancel().catch(() => undefined);
  }

  disconnect(): void {
    this.client.close();
  }

  private at(key: string): Buffer {
    return Buffer.from(`${this.prefix}${key}`);
  }

  /** All keys that begin with `folder`. */
  private folder(folder: string): { key: Buffer; range_end: Buffer } {
    const key = this.at(folder);
    const end = Buffer.from(key);
    end.writeUInt8(end.readUInt8(end.length - 1) + 1, end.length - 1);
    return { key, range_end: end };
  }

  private readKey(found: { key: Buffer; value: Buffer; create_revision: string; lease: string }): EtcdKey {
    return {
      key: found.key.toString().slice(this.prefix.length),
      value: found.value.toString(),
      revision: Number(found.create_revision),
      ...(found.lease !== '0' && { lease: found.lease }),
    };
  }

  /** One call, one step. Its place in the server's own order is the revision that the answer names. */
  private call<T>(
    verb: string,
    about: string,
    key: string | undefined,
    send: () => Promise<[answer: Answer | undefined, result: T]>,
  ): Promise<T> {
    return step(
      () => ({
        kind: 'etcd',
        verb,
        text: `${verb} ${about}`,
        ...(key !== undefined && { key: lockOf(key) }),
      }),
      (current) => answered('etcd', verb, this.timeoutMs, this.send(send, current)),
    );
  }

  private async send<T>(send: () => Promise<[Answer | undefined, T]>, current?: Step): Promise<T> {
    try {
      const [answer, result] = await send();
      if (current !== undefined && answer !== undefined) current.order = Number(answer.header.revision);
      return result;
    } catch (error) {
      throw isRecoverableError(error as Error)
        ? new DependencyDown('etcd', 'etcd is not reachable', { cause: error })
        : error;
    }
  }
}

/** The lock that a key of its queue belongs to. */
const lockOf = (key: string): string => key.split('/')[0] ?? key;
