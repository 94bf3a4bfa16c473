import { castGrpcError, Etcd3, EtcdLeaseInvalidError, isRecoverableError } from 'etcd3';
import { answered } from './answered';
import { DependencyDown, SessionLost } from '../seam';
import { step, type Step } from '../seam';

export interface SteppedEtcdOptions {
  /** `http://host:port[,http://host:port…][/prefix]`: members of one cluster; all keys begin with the prefix. */
  readonly url: string;
  /** Milliseconds without a reply after which a call fails as `DependencyDown`. */
  readonly timeoutMs?: number;
  /** The shortest lease that the server is asked for, milliseconds: for a caller that revokes its leases itself. */
  readonly leastLeaseMs?: number;
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

/** One server of a cluster. etcd3 would choose one at random for each call, also one that is dead. */
interface Member {
  readonly client: Etcd3;
  /** Aborted when we turn to another member. */
  left: AbortController;
}

/**
 * etcd's plain calls (etcd3), each passing the seam. A call without a reply fails after `timeoutMs`. In a cluster, a call
 * that a member does not answer is made again at the next: each of them may be made twice.
 */
export class SteppedEtcd {
  private readonly members: readonly Member[];
  private current = 0;
  private readonly prefix: string;
  private readonly timeoutMs: number;
  private readonly leastLeaseMs: number;

  constructor({ url, timeoutMs = 800, leastLeaseMs = 0 }: SteppedEtcdOptions) {
    const urls = url.split(',').map((one) => new URL(one));
    const pathname = urls.at(-1)?.pathname ?? '/';
    this.prefix = pathname === '/' ? '' : `${pathname.slice(1)}/`;
    this.timeoutMs = timeoutMs;
    this.leastLeaseMs = leastLeaseMs;
    this.members = urls.map(({ origin }) => ({
      client: new Etcd3({
        hosts: origin,
        grpcOptions: { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 500 },
        faultHandling: { host: () => asItComes as never, global: asItComes as never },
      }),
      left: new AbortController(),
    }));
  }

  /** A lease of `ms` milliseconds, rounded up to seconds; the server may grant more. Returns its id. */
  grant(ms: number): Promise<string> {
    const seconds = Math.ceil(ms / 1000);
    return this.call('GRANT', `${seconds} s`, undefined, async (client) => {
      const granted = await client.leaseClient.leaseGrant({
        TTL: Math.max(seconds, Math.ceil(this.leastLeaseMs / 1000)),
        ID: 0,
      });
      return [granted, granted.ID];
    });
  }

  /** The lease counts from now again. False when it has ended. */
  keepAlive(lease: string, key: string): Promise<boolean> {
    return this.call('KEEPALIVE', `the lease of ${key}`, key, async (client) => {
      const stream = await client.leaseClient.leaseKeepAlive();
      try {
        const reply = new Promise<Answer & { TTL: string }>((resolve, reject) => {
          stream.on('data', resolve);
          stream.on('error', reject);
        });
        stream.write({ ID: lease });
        const kept = await answered('etcd', 'KEEPALIVE', this.timeoutMs, reply);
        stream.end();
        return [kept, kept.TTL !== '0'];
      } catch (error) {
        stream.cancel(); // nobody answers: it would stay open for as long as the connection
        throw error;
      }
    });
  }

  /** The lease ends, and its keys are gone. False when it had ended. */
  revoke(lease: string, key: string): Promise<boolean> {
    return this.call('REVOKE', `the lease of ${key}`, key, async (client) => {
      try {
        return [await client.leaseClient.leaseRevoke({ ID: lease }), true];
      } catch (error) {
        if (error instanceof EtcdLeaseInvalidError) return [undefined, false];
        throw error;
      }
    });
  }

  /** Makes the key, to live as long as the lease, if it is not there. Returns it as it is now. */
  create(key: string, value: string, lease: string): Promise<EtcdKey> {
    return this.call('PUT', `${key} ${value}`, key, async (client) => {
      const name = this.at(key);
      const made = await client.kv.txn({
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
    return this.call('RANGE', `${folder} made before ours`, key, async (client) => {
      const request = {
        ...this.folder(folder),
        sort_target: 'Create' as const,
        sort_order: 'Descend' as const,
        max_create_revision: revision - 1,
        limit: 1,
      };
      const answer = await client.kv.txn({
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
    return this.call('RANGE', folder, folder, async (client) => {
      const range = { ...this.folder(folder), sort_target: 'Create' as const, sort_order: 'Ascend' as const };
      const answer = await client.kv.range(range);
      return [answer, answer.kvs.map((found) => this.readKey(found))];
    });
  }

  /** Deletes all keys of a folder. */
  deleteAll(folder: string): Promise<void> {
    return this.call('DELETE', folder, folder, async (client) => [
      await client.kv.deleteRange(this.folder(folder)),
      undefined,
    ]);
  }

  /** Milliseconds that are left of a lease, in whole seconds; undefined when it has ended. */
  timeToLive(lease: string): Promise<number | undefined> {
    return this.call('TTL', 'of a lease', undefined, async (client) => {
      const answer = await client.leaseClient.leaseTimeToLive({ ID: lease });
      return [answer, Number(answer.TTL) < 0 ? undefined : 1000 * Number(answer.TTL)];
    });
  }

  /** Resolves when the key, as it is, has been deleted, or `signal` is aborted: also when that was before the call. */
  async removed({ key, revision }: EtcdKey, signal: AbortSignal): Promise<void> {
    let isDeleted = false;
    while (!isDeleted && !signal.aborted) {
      const { member } = this;
      const over = AbortSignal.any([signal, member.left.signal]);
      const watcher = member.client
        .watch()
        .key(this.at(key))
        .only('delete')
        .startRevision(String(revision))
        .watcher();
      watcher.on('error', () => undefined);
      watcher.on('disconnected', () => {
        this.leave(member);
      });
      isDeleted = await new Promise<boolean>((resolve) => {
        watcher.on('delete', () => {
          resolve(true);
        });
        over.addEventListener('abort', () => {
          resolve(false);
        });
      });
      void watcher.cancel().catch(() => undefined);
    }
  }

  disconnect(): void {
    for (const { client } of this.members) client.close();
  }

  /** The one that we talk to. */
  private get member(): Member {
    const member = this.members[this.current];
    if (member === undefined) throw new Error('etcd has no address');
    return member;
  }

  /** Turns to the next member, if there is one and nobody else has done so. */
  private leave(member: Member): void {
    if (this.members.length === 1 || member !== this.member) return;
    this.current = (this.current + 1) % this.members.length;
    member.left.abort();
    member.left = new AbortController();
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
  private call<T>(verb: string, about: string, key: string | undefined, send: Send<T>): Promise<T> {
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

  private async send<T>(send: Send<T>, current?: Step): Promise<T> {
    for (let left = this.members.length; ; left--) {
      const { member } = this;
      try {
        const [answer, result] = await this.inItsTime(send(member.client));
        if (current !== undefined && answer !== undefined) current.order = Number(answer.header.revision);
        return result;
      } catch (thrown) {
        const error = castGrpcError(thrown as Error); // a stream's error comes without a type
        const isAway = error instanceof DependencyDown || isRecoverableError(error);
        if (!isAway) throw error;
        this.leave(member);
        if (left === 1) throw new DependencyDown('etcd', 'etcd is not reachable', { cause: error });
      }
    }
  }

  /** Of several members none may use up the time of the others. */
  private inItsTime<T>(reply: Promise<T>): Promise<T> {
    const { length } = this.members;
    return length === 1 ? reply : answered('etcd', 'in time', this.timeoutMs / length, reply);
  }
}

/** What one call does at the member that is asked. */
type Send<T> = (client: Etcd3) => Promise<[answer: Answer | undefined, result: T]>;

/** The lock that a key of its queue belongs to. */
const lockOf = (key: string): string => key.split('/')[0] ?? key;
