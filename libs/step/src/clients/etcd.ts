import type * as Package from 'etcd3';
import { createRequire } from 'node:module';
import { answered } from './answered';
import {
  CHECKS_QUEUE,
  DependencyDown,
  dropped,
  INSPECTS,
  JOINS_QUEUE,
  SessionLost,
  step,
  whenTrue,
  type LockCommand,
  type Step,
} from '../seam';

/** Loaded by the first client: the package takes more than 10 MB of memory, and most processes have no etcd. */
const etcd3 = (): typeof Package => createRequire(__filename)('etcd3') as typeof Package;

export interface SteppedEtcdOptions {
  /** `http://host:port[,http://host:port…][/prefix]`: members of one cluster; all keys begin with the prefix. */
  readonly url: string;
  /** Milliseconds without a reply after which a call fails as `DependencyDown`. */
  readonly timeoutMs?: number;
  /** Minimum lease to request, milliseconds: for a caller that revokes its leases itself. */
  readonly leastLeaseMs?: number;
}

/** An existing key. */
export interface EtcdKey {
  readonly key: string;
  readonly value: string;
  /** The revision of its creation: grows with every change of the store, so that it can serve as a fencing token. */
  readonly revision: number;
  /** The lease whose end deletes the key; absent: the key has none. */
  readonly lease?: string;
}

/** Every response carries the store's revision. */
interface Answer {
  readonly header: { readonly revision: string };
}

/** Turns off etcd3's fault handling, which would retry a call three times and then reject all calls for five seconds. */
const noFaultHandling = {
  execute: async <T>(call: (context: object) => T | PromiseLike<T>): Promise<T> => call({}),
  onSuccess: () => ({ dispose: () => undefined }),
  onFailure: () => ({ dispose: () => undefined }),
};

/** One member of a cluster, with its own client: etcd3 would choose a random member for each call, also a dead one. */
interface Member {
  readonly client: Package.Etcd3;
  /** Aborted when another member becomes the current one. */
  abandoned: AbortController;
}

/**
 * etcd's basic calls (etcd3), each passing the seam. A call without a reply fails after `timeoutMs`. In a cluster, a call
 * that a member does not answer is repeated at the next member, so that any call may be executed twice.
 */
export class SteppedEtcd {
  private readonly members: readonly Member[];
  private current = 0;
  private readonly prefix: string;
  private readonly timeoutMs: number;
  private readonly leastLeaseMs: number;

  constructor({ url, timeoutMs = 800, leastLeaseMs = 0 }: SteppedEtcdOptions) {
    const urls = url.split(',').map((member) => new URL(member));
    const pathname = urls.at(-1)?.pathname ?? '/';
    this.prefix = pathname === '/' ? '' : `${pathname.slice(1)}/`;
    this.timeoutMs = timeoutMs;
    this.leastLeaseMs = leastLeaseMs;
    const { Etcd3 } = etcd3();
    this.members = urls.map(({ origin }) => ({
      client: new Etcd3({
        hosts: origin,
        grpcOptions: { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 500 },
        faultHandling: { host: () => noFaultHandling as never, global: noFaultHandling as never },
      }),
      abandoned: new AbortController(),
    }));
  }

  /** Grants a lease of `ms` milliseconds, rounded up to seconds; the server may grant more. Returns its id. */
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

  /** Renews the lease. False when it has ended. */
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
        stream.cancel(); // without a reply it would stay open for as long as the connection
        throw error;
      }
    });
  }

  /** Ends the lease and deletes its keys. False when it had already ended. */
  revoke(lease: string, key: string): Promise<boolean> {
    const send: Send<boolean> = async (client) => {
      try {
        return [await client.leaseClient.leaseRevoke({ ID: lease }), true];
      } catch (error) {
        if (error instanceof etcd3().EtcdLeaseInvalidError) return [undefined, false];
        throw error;
      }
    };
    return this.call('REVOKE', `the lease of ${key}`, key, send, whenTrue('release'));
  }

  /** Creates the key, bound to the lease, unless it exists. Returns the key as it is now. */
  create(key: string, value: string, lease: string): Promise<EtcdKey> {
    const send: Send<EtcdKey> = async (client) => {
      const name = this.at(key);
      const response = await client.kv.txn({
        compare: [{ key: name, target: 'Create', result: 'Equal', create_revision: 0 }],
        success: [{ request_put: { key: name, value: Buffer.from(value), lease } }],
        failure: [{ request_range: { key: name } }],
      });
      const found = response.succeeded ? undefined : response.responses[0]?.response_range.kvs[0];
      const revision = Number(found?.create_revision ?? response.header.revision);
      return [response, { key, value, lease, revision }];
    };
    return this.call('PUT', `${key} ${value}`, key, send, JOINS_QUEUE);
  }

  /**
   * The key of the same folder that was created last before ours; undefined: ours is the first. Throws `SessionLost`
   * when ours is gone.
   */
  predecessor({ key, revision }: EtcdKey): Promise<EtcdKey | undefined> {
    const folder = key.slice(0, key.lastIndexOf('/') + 1);
    const send: Send<EtcdKey | undefined> = async (client) => {
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
    };
    return this.call('RANGE', `${folder} created before ours`, key, send, CHECKS_QUEUE);
  }

  /** The keys of a folder, in the order of their creation. */
  list(folder: string): Promise<EtcdKey[]> {
    const send: Send<EtcdKey[]> = async (client) => {
      const range = { ...this.folder(folder), sort_target: 'Create' as const, sort_order: 'Ascend' as const };
      const answer = await client.kv.range(range);
      return [answer, answer.kvs.map((found) => this.readKey(found))];
    };
    return this.call('RANGE', folder, folder, send, INSPECTS);
  }

  /** Deletes all keys of a folder. */
  deleteAll(folder: string): Promise<void> {
    return this.call('DELETE', folder, folder, async (client) => [
      await client.kv.deleteRange(this.folder(folder)),
      undefined,
    ]);
  }

  /** The remaining time of a lease in milliseconds, whole seconds; undefined when it has ended. */
  timeToLive(lease: string): Promise<number | undefined> {
    return this.call('TTL', 'of a lease', undefined, async (client) => {
      const answer = await client.leaseClient.leaseTimeToLive({ ID: lease });
      return [answer, Number(answer.TTL) < 0 ? undefined : 1000 * Number(answer.TTL)];
    });
  }

  /**
   * Resolves when this revision of the key is deleted, or `signal` is aborted; either may have happened before the
   * call.
   */
  async removed({ key, revision }: EtcdKey, signal: AbortSignal): Promise<void> {
    let isDeleted = false;
    while (!isDeleted && !signal.aborted) {
      const { member } = this;
      const ended = AbortSignal.any([signal, member.abandoned.signal]);
      const watcher = member.client
        .watch()
        .key(this.at(key))
        .only('delete')
        .startRevision(String(revision))
        .watcher();
      watcher.on('error', () => undefined);
      watcher.on('disconnected', () => {
        this.abandon(member);
      });
      isDeleted = await new Promise<boolean>((resolve) => {
        watcher.on('delete', () => {
          resolve(true);
        });
        ended.addEventListener('abort', () => {
          resolve(false);
        });
      });
      void watcher.cancel().catch(dropped('the end of a watch of etcd'));
    }
  }

  disconnect(): void {
    for (const { client } of this.members) client.close();
  }

  /** The current member. */
  private get member(): Member {
    const member = this.members[this.current];
    if (member === undefined) throw new Error('etcd has no address');
    return member;
  }

  /** Makes the next member current, unless `member` is the only one or no longer current. */
  private abandon(member: Member): void {
    if (this.members.length === 1 || member !== this.member) return;
    this.current = (this.current + 1) % this.members.length;
    member.abandoned.abort();
    member.abandoned = new AbortController();
  }

  private at(key: string): Buffer {
    return Buffer.from(`${this.prefix}${key}`);
  }

  /** The range of all keys that begin with `folder`. */
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

  /** Makes one call as one step. Its position in the server's own order is the revision in the response. */
  private call<T>(
    verb: string,
    about: string,
    key: string | undefined,
    send: Send<T>,
    lock?: LockCommand,
  ): Promise<T> {
    return step(
      () => ({
        kind: 'etcd',
        verb,
        text: `${verb} ${about}`,
        ...(key !== undefined && { key: lockOf(key) }),
        ...(lock !== undefined && { lock }),
      }),
      (current) => answered('etcd', verb, this.timeoutMs, this.send(send, current)),
    );
  }

  private async send<T>(send: Send<T>, current?: Step): Promise<T> {
    for (let untried = this.members.length; ; untried--) {
      const { member } = this;
      try {
        const [answer, result] = await this.withinShare(send(member.client));
        if (current !== undefined && answer !== undefined) current.order = Number(answer.header.revision);
        return result;
      } catch (thrown) {
        const { castGrpcError, isRecoverableError } = etcd3();
        const error = castGrpcError(thrown as Error); // a stream's error has no type
        const isUnreachable = error instanceof DependencyDown || isRecoverableError(error);
        if (!isUnreachable) throw error;
        this.abandon(member);
        if (untried === 1) throw new DependencyDown('etcd', 'etcd is not reachable', { cause: error });
      }
    }
  }

  /** Limits each of several members to its share of the timeout. */
  private withinShare<T>(reply: Promise<T>): Promise<T> {
    const { length } = this.members;
    return length === 1 ? reply : answered('etcd', 'in time', this.timeoutMs / length, reply);
  }
}

/** Sends one call to a member. */
type Send<T> = (client: Package.Etcd3) => Promise<[answer: Answer | undefined, result: T]>;

/** The lock that a key of its queue belongs to. */
const lockOf = (key: string): string => key.split('/')[0] ?? key;
