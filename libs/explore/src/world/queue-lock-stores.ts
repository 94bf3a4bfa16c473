import type { EtcdKey, StepInfo, SteppedEtcd, SteppedZooKeeper } from '#lab/step';
import type { LockStore, LockReading } from './lock-stores';
import type { ActorConnections } from './actor-connections';

const queued = (lock: string, content: string, token: string): LockReading => ({
  lock,
  content,
  token,
  queued: true,
  ttlMs: -1,
});

const defined = <T>(found: readonly (T | undefined)[]): T[] => found.filter((one) => one !== undefined);

/**
 * ZooKeeper: the lock is the first child of its node, or an ephemeral node itself, and lives with its owner's
 * session. Real sessions outlive every schedule: the schedule ends a session by deleting what it created.
 */
export class ZooKeeperLockStore implements LockStore {
  readonly name = 'zookeeper';
  readonly component = 'zookeeper';
  readonly pipelined = false;
  readonly heartbeats = true;
  private readonly locks = new Set<string>();

  constructor(private readonly admin: SteppedZooKeeper) {}

  touchedBy({ kind, verb, key }: StepInfo): boolean {
    if (kind !== 'zk' || key === undefined) return false;
    this.locks.add(key);
    return verb === 'CREATE' || verb === 'DELETE';
  }

  async read(): Promise<readonly LockReading[]> {
    return defined(await Promise.all([...this.locks].map((lock) => this.readLock(lock))));
  }

  private async readLock(lock: string): Promise<LockReading | undefined> {
    const { session } = this.admin;
    const path = `/${lock}`;
    const [self, [first]] = await Promise.all([session.get(path), session.children(path)]);
    const holder = first === undefined ? self : await session.get(`${path}/${first}`);
    return holder?.session === undefined ? undefined : queued(lock, String(holder.czxid), holder.content);
  }

  /** Deletes all nodes created in the session of a process. */
  async endSession({ servers }: ActorConnections): Promise<void> {
    servers.zookeeper.session.refuse();
    const { id } = servers.zookeeper.session;
    await Promise.all([...this.locks].map((lock) => this.removeAll(`/${lock}`, id)));
  }

  /** A lock ends only with its owner's session. */
  end(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async clear(): Promise<void> {
    const { session } = this.admin;
    for (const name of await session.children('/')) if (name.startsWith('lock:')) this.locks.add(name);
    await Promise.all([...this.locks].map((lock) => this.removeAll(`/${lock}`)));
  }

  /** Removes the ephemeral nodes of a lock: those of session `id`, or all. */
  private async removeAll(path: string, id?: string): Promise<void> {
    const { session } = this.admin;
    const paths = [path, ...(await session.children(path)).map((name) => `${path}/${name}`)];
    await Promise.all(
      paths.map(async (one) => {
        const owner = (await session.get(one))?.session;
        if (owner !== undefined && (id === undefined || owner === id)) await session.remove(one);
      }),
    );
  }
}

/** etcd: the lock is the oldest key of its prefix, and lives as long as its lease, which its request keeps alive. */
export class EtcdLockStore implements LockStore {
  readonly name = 'etcd';
  readonly component = 'etcd';
  readonly pipelined = false;

  constructor(private readonly admin: SteppedEtcd) {}

  touchedBy({ kind, verb }: StepInfo): boolean {
    return kind === 'etcd' && verb !== 'RANGE' && verb !== 'GRANT';
  }

  renewedBy({ verb }: StepInfo): boolean {
    return verb === 'KEEPALIVE';
  }

  async read(): Promise<readonly LockReading[]> {
    return [...(await this.heads())].map(([lock, { revision, value }]) =>
      queued(lock, String(revision), value),
    );
  }

  async end(lock: string): Promise<boolean> {
    const head = (await this.heads()).get(lock);
    if (head?.lease !== undefined) await this.admin.revoke(head.lease, head.key);
    return true;
  }

  async clear(): Promise<void> {
    await this.admin.deleteAll('lock:');
  }

  private async heads(): Promise<ReadonlyMap<string, EtcdKey>> {
    const heads = new Map<string, EtcdKey>();
    for (const key of await this.admin.list('lock:')) {
      const lock = key.key.slice(0, key.key.lastIndexOf('/'));
      if (!heads.has(lock)) heads.set(lock, key);
    }
    return heads;
  }
}
