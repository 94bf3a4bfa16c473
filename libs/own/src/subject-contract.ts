import type { Protection } from '#lab/strategy';
import type { Connect, Isolation, SubjectDefinition } from '#lab/subject';
import type { Redis } from 'ioredis';
import type { Pool } from 'mysql2/promise';
import type { DataSource } from 'typeorm';

/** The clients of the actors of a file; commands that they send over other clients are not seen by the explorer. */
export interface SubjectClients {
  readonly redis: Redis;
  /** TypeORM's data source of a MySQL or MariaDB database, without entities. */
  readonly sql: DataSource;
  /** A pool of mysql2/promise of the same database. */
  readonly pool: Pool;
}

/** A subject of a user, as the explorer knows it. */
export interface OwnSubject extends Protection {
  readonly kind: 'subject';
  readonly definition: SubjectDefinition<object>;
  /** Absent: the clients of `SubjectClients`. */
  readonly connect?: Connect;
  /** The isolation level of its database sessions; absent: that of the server. */
  readonly isolation?: Isolation;
  /** It has no expectations. */
  readonly expected: Readonly<Record<string, never>>;
  readonly next: { readonly why: string };
  /** The code whose change makes a token invalid. */
  readonly apply: { toString(): string };
}
