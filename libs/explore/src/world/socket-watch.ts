import { currentScope, firstCommandIn, isObserved, type Protocol } from '#lab/step';
import { Socket } from 'node:net';
import type { WorldOptions } from './actor-connections';

/** A command that an actor's code sends over a connection that the explorer does not observe. */
export class UnobservedCommand extends Error {
  readonly code = 'EXPLORE.UNOBSERVED';

  constructor(command: string, options?: ErrorOptions) {
    super(
      `${command} was sent by a client that is not observed, so that the order of its commands is not explored: return the ioredis client, the mysql2 pool or the TypeORM data source itself from connect, at the top level, and use only the clients that the actors receive`,
      options,
    );
    this.name = 'UnobservedCommand';
  }
}

/** Also true for an error that a worker reported. */
export const isUnobservedCommand = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'UnobservedCommand';

/** What a socket sends while a schedule runs. */
interface Sent {
  readonly socket: Socket;
  readonly protocol: Protocol;
  readonly port: number;
  readonly command: string;
}

const NAMES: Readonly<Record<Protocol, string>> = { redis: 'Redis', mysql: 'the database' };
const PORTS: Readonly<Record<Protocol, number>> = { redis: 6379, mysql: 3306 };

/**
 * Finds commands that the code of this thread sends to the servers of a world over sockets of clients that are not observed.
 *
 * A command counts when code of an actor sends it, or when its socket was opened after this watch. Another one belongs to what the
 * process does beside the exploration: for example a pool of the test, which was opened before.
 */
export class SocketWatch {
  private readonly opened = new WeakSet<Socket>();
  private readonly protocols: ReadonlyMap<number, Protocol>;
  /** Undefined: no schedule runs. */
  private sent: Sent[] | undefined;

  private constructor({ redis, mysql }: Pick<WorldOptions, 'redis' | 'mysql'>) {
    this.protocols = new Map([portOf('redis', redis), portOf('mysql', mysql)]);
  }

  static open(options: Pick<WorldOptions, 'redis' | 'mysql'>): SocketWatch {
    const watch = new SocketWatch(options);
    if (watches.size === 0) restore = hookSockets();
    watches.add(watch);
    return watch;
  }

  close(): void {
    watches.delete(this);
    if (watches.size === 0) restore();
  }

  begin(): void {
    this.sent = [];
  }

  /** The first command since `begin`, with its server. Undefined: there is none. */
  end(): string | undefined {
    const found = this.sent?.find(({ socket }) => !isObserved(socket)); // a socket is known as observed some commands after it was opened
    this.sent = undefined;
    return found && `"${found.command}" to ${NAMES[found.protocol]} (port ${found.port})`;
  }

  noteOpened(socket: Socket): void {
    this.opened.add(socket);
  }

  noteWritten(socket: Socket, read: () => Buffer): void {
    if (this.sent === undefined || isObserved(socket)) return;
    const { remotePort: port = 0 } = socket;
    const protocol = this.protocols.get(port);
    if (protocol === undefined || (currentScope() === undefined && !this.opened.has(socket))) return;
    const command = firstCommandIn(protocol, read());
    if (command !== undefined) this.sent.push({ socket, protocol, port, command });
  }
}

const portOf = (protocol: Protocol, url: string): [number, Protocol] => [
  Number(new URL(url).port || PORTS[protocol]),
  protocol,
];

const watches = new Set<SocketWatch>();
let restore: () => void = () => undefined;

type Chunk = Buffer | string;

/** The methods of a socket that are replaced. */
interface Methods {
  connect: (this: Socket, ...args: unknown[]) => Socket;
  _write: (this: Socket, chunk: Chunk, encoding: BufferEncoding, done: unknown) => void;
  _writev: (
    this: Socket,
    chunks: readonly { chunk: Chunk; encoding: BufferEncoding }[],
    done: unknown,
  ) => void;
}

/** Reports to all watches what the sockets of this thread do, also those that are open. Returns what undoes it. */
function hookSockets(): () => void {
  const methods = Socket.prototype as unknown as Methods;
  const { connect, _write, _writev } = methods;
  methods.connect = function (...args) {
    for (const watch of watches) watch.noteOpened(this);
    return connect.apply(this, args);
  };
  methods._write = function (chunk, encoding, done) {
    for (const watch of watches) watch.noteWritten(this, () => bytesOf(chunk, encoding));
    _write.call(this, chunk, encoding, done);
  };
  methods._writev = function (chunks, done) {
    for (const watch of watches)
      watch.noteWritten(this, () =>
        Buffer.concat(chunks.map(({ chunk, encoding }) => bytesOf(chunk, encoding))),
      );
    _writev.call(this, chunks, done);
  };
  return () => Object.assign(methods, { connect, _write, _writev });
}

const bytesOf = (chunk: Chunk, encoding: BufferEncoding): Buffer =>
  typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
