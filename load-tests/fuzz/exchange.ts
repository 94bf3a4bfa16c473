import { connect } from 'node:net';

/** An HTTP response. `status` 0: the connection was closed without an answer. */
export interface FuzzResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly tookMs: number;
}

/** Longer than the longest wait, work and delay that a request may demand. */
const RESPONSE_TIMEOUT_MS = 75_000;

/**
 * Sends bytes on a new connection and reads one response. Rejects when the connection is refused, or stays open without a
 * response. `hangUp` closes the client's side after the bytes, which a proxy treats as a client that has disconnected.
 */
export function exchange(url: string, bytes: Buffer, { hangUp = false } = {}): Promise<FuzzResponse> {
  const { hostname, port } = new URL(url);
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const done = (): void => {
      socket.destroy();
      resolve(parse(Buffer.concat(parts), performance.now() - begun));
    };
    socket.setTimeout(RESPONSE_TIMEOUT_MS, () => {
      socket.destroy();
      reject(new Error(`no answer within ${RESPONSE_TIMEOUT_MS / 1000} s`));
    });
    socket.on('data', (part: Buffer) => {
      parts.push(part);
      if (isWhole(Buffer.concat(parts))) done();
    });
    socket.on('end', done);
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') reject(error);
      else done(); // a server that refuses early resets the connection after its response, which is already in `parts`
    });
    socket.write(bytes);
    if (hangUp) socket.end();
  });
}

function parse(bytes: Buffer, tookMs: number): FuzzResponse {
  const nothing = { status: 0, headers: {}, body: bytes.toString('latin1'), tookMs };
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return nothing;
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1] ?? 0);
  if (status === 0) return nothing;
  const rest = bytes.subarray(end + 4);
  if (status < 200) return parse(rest, tookMs); // 100 Continue: the final response follows
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const isChunked = headers['transfer-encoding'] === 'chunked';
  return { status, headers, body: (isChunked ? unchunk(rest) : rest).toString(), tookMs };
}

/** Whether a response with a Content-Length is complete; other responses end with their connection. */
function isWhole(bytes: Buffer): boolean {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0 || bytes.subarray(0, 12).toString('latin1') === 'HTTP/1.1 100') return false;
  const length = /\r\nContent-Length: (\d+)\r\n/i.exec(bytes.subarray(0, end + 2).toString('latin1'))?.[1];
  return length !== undefined && bytes.length >= end + 4 + Number(length);
}

function unchunk(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const end = bytes.indexOf('\r\n', at);
    const size = end < 0 ? 0 : Number.parseInt(bytes.subarray(at, end).toString('latin1'), 16);
    if (!(size > 0)) return Buffer.concat(parts);
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}
