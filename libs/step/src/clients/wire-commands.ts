/** The protocol of a server. */
export type Protocol = 'redis' | 'mysql';

/**
 * The first command in bytes that a client sends, for people; undefined: all of them belong to a connection (its greeting, a ping),
 * or set a variable of the session, and no other client can notice them.
 */
export function firstCommandIn(protocol: Protocol, bytes: Buffer): string | undefined {
  for (const command of protocol === 'redis' ? redisCommandsIn(bytes) : statementsIn(bytes))
    if (command !== undefined) return shortened(command);
  return undefined;
}

const MAX_LENGTH = 60;

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}

/** Commands of a connection, and those that only begin or end others in it. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  ...['auth', 'hello', 'select', 'client', 'quit', 'reset', 'readonly', 'readwrite', 'asking'],
  ...['ping', 'echo', 'info', 'time', 'role', 'command', 'cluster', 'sentinel'],
  ...['multi', 'exec', 'discard', 'unwatch'],
]);

/** RESP: `*2\r\n$3\r\nGET\r\n$1\r\na\r\n`. A value that continues in the next packet is cut. */
function* redisCommandsIn(bytes: Buffer): Generator<string | undefined> {
  const text = bytes.toString('latin1');
  let at = 0;
  const readLine = (): string => {
    const end = text.indexOf('\r\n', at);
    const line = text.slice(at, end < 0 ? undefined : end);
    at = end < 0 ? text.length : end + 2;
    return line;
  };
  while (text[at] === '*') {
    const words: string[] = [];
    for (let left = Number(readLine().slice(1)); left > 0 && text[at] === '$'; left--) {
      const length = Number(readLine().slice(1));
      words.push(Buffer.from(text.slice(at, at + length), 'latin1').toString());
      at += length + 2;
    }
    const [verb = '', ...args] = words;
    yield OF_CONNECTION.has(verb.toLowerCase()) ? undefined : [verb.toUpperCase(), ...args].join(' ');
  }
}

const QUERY = 0x03;
const PREPARE = 0x16;
const EXECUTE = 0x17;

/** Quit, select a schema, statistics, ping, change user, close or reset a statement, set an option, reset the connection. */
const OF_SESSION: ReadonlySet<number> = new Set([0x01, 0x02, 0x09, 0x0e, 0x11, 0x19, 0x1a, 0x1b, 0x1f]);

/** Statements that read or set variables of the session, and those that only begin or end a transaction. */
const OF_VARIABLES =
  /^(SET\s+(?!STATEMENT|GLOBAL|PERSIST|@@GLOBAL)|SHOW\s|USE\s|SELECT\s+(@@|(VERSION|DATABASE|CONNECTION_ID)\(\)|\d+\s*;?$)|BEGIN\b|START\s+TRANSACTION|COMMIT|ROLLBACK)/i;

const HEADER_BYTES = 4;

/** Packets of MySQL: three bytes of length, a number, which is 0 when the packet begins a command, and the command. */
function* statementsIn(bytes: Buffer): Generator<string | undefined> {
  for (let at = 0; at + HEADER_BYTES < bytes.length;) {
    const end = at + HEADER_BYTES + bytes.readUIntLE(at, 3);
    const number = bytes[at + 3];
    const kind = bytes[at + HEADER_BYTES] ?? 0;
    // with query attributes, some bytes precede the text
    const text = bytes
      .toString('utf8', at + HEADER_BYTES + 1, end)
      .replace(/^[^\x20-\x7e]+/, '')
      .trimStart();
    at = end;
    if (number === 0) yield statementOf(kind, text);
  }
}

function statementOf(kind: number, text: string): string | undefined {
  if (kind === QUERY || kind === PREPARE) return OF_VARIABLES.test(text) ? undefined : text;
  if (OF_SESSION.has(kind)) return undefined;
  return kind === EXECUTE ? 'a prepared statement' : 'a command of MySQL';
}
