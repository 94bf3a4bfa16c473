/** The target address: public, lab, or nginx's internal one. */
export type Side = 'public' | 'lab' | 'internal';
export type Addresses = Readonly<Partial<Record<Side, string>>>;

export type HeaderLine = readonly [name: string, value: string];

/** A request before its serialization. Texts are sent as UTF-8, without escaping. */
export interface Message {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly HeaderLine[];
  readonly body: Buffer | undefined;
}

/** One serialized request of a run. */
export interface FuzzRequest {
  readonly index: number;
  readonly endpoint: string;
  readonly side: Side;
  readonly method: string;
  readonly bytes: Buffer;
  /** Undefined: only `bytes` can represent the request. */
  readonly message: Message | undefined;
  /** The app's document certainly forbids it, so it must not be accepted. */
  readonly forbidden: boolean;
  /** The message never ends, so the server may close the connection without a response. */
  readonly endless: boolean;
  /** It carries a fault that the lab executes. */
  readonly carriesFault: boolean;
  /** If accepted, it may start a periodic job. */
  readonly startsTimer: boolean;
  /** 5xx statuses that the document lists for this endpoint. */
  readonly admits: ReadonlySet<number>;
  /** It targets an endpoint that the public address must not serve. */
  readonly wantsLab: boolean;
}

const CRLF = '\r\n';

/** Serializes the message for a connection of its own. */
export function toBytes({ method, target, headers, body }: Message, host: string): Buffer {
  const named = new Set(headers.map(([name]) => name.toLowerCase()));
  const isFramed = named.has('content-length') || named.has('transfer-encoding');
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...(named.has('host') ? [] : [`Host: ${host}`]),
    ...(named.has('connection') ? [] : ['Connection: close']),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined || isFramed ? [] : [`Content-Length: ${body.length}`]),
  ];
  return Buffer.concat([Buffer.from(`${lines.join(CRLF)}${CRLF}${CRLF}`), body ?? Buffer.alloc(0)]);
}

/** A command line that sends the same bytes: plain curl if possible, else curl's telnet protocol. */
export function toCurl({ message, bytes }: FuzzRequest, url: string): string {
  const command = message && asCurl(message, url);
  return command ?? `printf '%b' ${ansi(bytes)} | curl -sS telnet://${new URL(url).host}`;
}

const PLAIN = /^[\x20-\x7e]*$/;

function asCurl({ method, target, headers, body }: Message, url: string): string | undefined {
  const isPlain =
    /^[A-Z]+$/.test(method) &&
    /^\/[\x21-\x7e]*$/.test(target) &&
    !target.includes('#') &&
    headers.every(([name, value]) => /^[\w-]+$/.test(name) && PLAIN.test(value) && value.trim() !== '');
  if (!isPlain || headers.some(([name]) => /^(content-length|transfer-encoding|host)$/i.test(name)))
    return undefined;
  const hasType = headers.some(([name]) => name.toLowerCase() === 'content-type');
  const hasNul = body?.includes(0) === true; // an argument of a command ends at a NUL: such a body goes through a pipe
  const piped = hasNul ? `printf '%b' ${ansi(body)} | ` : '';
  return `${piped}${[
    'curl -isS -g --path-as-is',
    method === 'HEAD' ? '-I' : `-X ${method}`,
    quote(`${url}${target}`),
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined || hasType ? [] : ["-H 'Content-Type:'"]),
    ...(body === undefined ? [] : [`--data-binary ${hasNul ? '@-' : dataOf(body)}`]),
  ].join(' ')}`;
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function dataOf(body: Buffer): string {
  const text = body.toString('latin1');
  return PLAIN.test(text) && !text.startsWith('@') ? quote(text) : `$${ansi(body)}`;
}

/** Quotes bytes for the shell's $'…' and printf's %b. A NUL cannot be part of an argument; %b decodes it from \x00. */
function ansi(bytes: Buffer): string {
  const text = [...bytes].map((byte) => {
    if (byte === 0x27 || byte === 0x5c || byte < 0x20 || byte > 0x7e)
      return `\\x${byte.toString(16).padStart(2, '0')}`;
    return String.fromCharCode(byte);
  });
  return `'${text.join('')}'`;
}
