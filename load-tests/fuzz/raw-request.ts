import type { SeededRandom } from '#lab/random';
import { type HeaderLine, type Message, toBytes } from './request';

/** A message with invalid or unusual HTTP. */
export interface RawRequest {
  readonly bytes: Buffer;
  /** The message never ends. */
  readonly endless: boolean;
  /** Undefined: only `bytes` can represent it. */
  readonly message?: Message;
}

type Mutation = (message: Message, host: string) => RawRequest;

const complete = (bytes: Buffer): RawRequest => ({ bytes, endless: false });
const endless = (bytes: Buffer): RawRequest => ({ bytes, endless: true });

const withHeaders =
  (...lines: readonly HeaderLine[]): Mutation =>
  (message, host) => {
    const changed = { ...message, headers: [...message.headers, ...lines] };
    return { ...complete(toBytes(changed, host)), message: changed };
  };

/** Changes the text of the head, which ends before the empty line. */
const inHead =
  (change: (head: string, host: string) => string): Mutation =>
  (message, host) => {
    const bytes = toBytes(message, host);
    const end = bytes.indexOf('\r\n\r\n');
    const head = change(bytes.subarray(0, end).toString('latin1'), host);
    return complete(Buffer.concat([Buffer.from(head, 'latin1'), bytes.subarray(end)]));
  };

const addLine = (line: string): Mutation => inHead((head) => `${head}\r\n${line}`);
const version = (text: string): Mutation => inHead((head) => head.replace('HTTP/1.1', text));

/** Sends the body in chunks of `size` bytes, regardless of other headers. */
const chunked =
  (
    size: number,
    finish: (text: string) => string,
    isEndless = false,
    extra: readonly HeaderLine[] = [],
  ): Mutation =>
  (message, host) => {
    const body = (message.body ?? Buffer.from('{}')).toString('latin1');
    const parts = Array.from({ length: Math.ceil(body.length / size) }, (_, i) =>
      body.slice(i * size, (i + 1) * size),
    );
    const text = parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('');
    const headers: HeaderLine[] = [...message.headers, ...extra, ['Transfer-Encoding', 'chunked']];
    const head = toBytes({ ...message, headers, body: undefined }, host);
    const bytes = Buffer.concat([head, Buffer.from(finish(text), 'latin1')]);
    return isEndless ? endless(bytes) : complete(bytes);
  };

const contentLength =
  (value: (length: number) => string, isEndless = false): Mutation =>
  (message, host) => {
    const body = message.body ?? Buffer.from('{}');
    const headers: HeaderLine[] = [...message.headers, ['Content-Length', value(body.length)]];
    const bytes = toBytes({ ...message, headers, body }, host);
    return isEndless ? endless(bytes) : complete(bytes);
  };

const target =
  (change: (target: string, host: string) => string): Mutation =>
  (message, host) =>
    complete(toBytes({ ...message, target: change(message.target, host) }, host));

const MUTATIONS: readonly Mutation[] = [
  inHead((head) => head.replace(/\r\nHost: [^\r]*/, '')),
  addLine('Host: lab'),
  inHead((head, host) => head.replace(`Host: ${host}`, 'Host: lab')),
  inHead((head, host) => head.replace(`Host: ${host}`, 'Host: ')),
  inHead((head, host) => head.replace(`Host: ${host}`, 'Host: a/b@c:99999')),
  target((path, host) => `http://${host}${path}`),
  target((path) => `http://lab${path}`),
  target((path) => `https://127.0.0.1:1${path}`),
  target(() => '*'),
  target(() => ''),
  target((path) => path.slice(1)),
  target((path) => `${path} x`),
  target((path) => `${path}\0`),
  target((path) => `${path}#fragment`),
  target((path) => `${path}?${'a=b&'.repeat(500)}`),
  target((path) => `${path}?${'x'.repeat(5000)}`),
  target((path) => `${path}${path.includes('?') ? '&' : '?'}a=%`),
  target((path) => `${path}${path.includes('?') ? '&' : '?'}%ff=%fe`),
  target((path) => `${path}/${'../'.repeat(50)}`),
  target((path) => `${path}/${'a/'.repeat(500)}`),
  target((path) => `${path}\u00e9\u2028`),
  chunked(7, (text) => `${text}0\r\n\r\n`),
  chunked(7, (text) => `${text}0\r\nX-Fault: after(COMMIT)=kill\r\n\r\n`),
  chunked(1000, (text) => `${text.replace('\r\n', ';name="value"\r\n')}0\r\n\r\n`),
  chunked(7, (text) => `${text}zz\r\n\r\n`),
  chunked(7, (text) => `${text}-1\r\n\r\n`),
  chunked(7, (text) => `${text}ffffffffffffffffff\r\n\r\n`),
  chunked(7, (text) => text, true),
  chunked(7, (text) => `${text}5\r\nab`, true),
  chunked(7, (text) => `${text}0\r\n\r\n`, false, [['Content-Length', '3']]),
  chunked(7, (text) => `${text}0\r\n\r\nGET /lab/history/phone HTTP/1.1\r\nHost: x\r\n\r\n`),
  contentLength((length) => String(length + 100), true),
  contentLength((length) => String(Math.max(0, length - 5))),
  contentLength(() => '-1'),
  contentLength(() => 'many'),
  contentLength(() => '99999999999999999999'),
  contentLength(() => '1e3'),
  contentLength((length) => `${length}, ${length}`),
  contentLength((length) => `+${length}`),
  (message, host) => {
    const { length } = message.body ?? Buffer.from('{}');
    return contentLength(() => `${length}\r\nContent-Length: ${length + 1}`)(message, host);
  },
  withHeaders(['Transfer-Encoding', 'gzip, chunked']),
  withHeaders(['Transfer-Encoding', 'identity']),
  withHeaders(['Transfer-Encoding', 'nonsense']),
  withHeaders(['Expect', '100-continue']),
  withHeaders(['Expect', 'nonsense']),
  withHeaders(['Connection', 'close, upgrade, x-request-id'], ['Upgrade', 'h2c']),
  withHeaders(['X-Large', 'x'.repeat(3900)]),
  withHeaders(['X-Large', 'x'.repeat(5000)]),
  withHeaders(...Array.from({ length: 3 }, (_, i) => [`X-Large-${i}`, 'x'.repeat(3800)] as const)),
  withHeaders(...Array.from({ length: 150 }, (_, i) => [`X-Many-${i}`, 'x'] as const)),
  addLine('no colon'),
  addLine(': no name'),
  addLine('X-Space : x'),
  addLine('X-Nul: a\0b'),
  addLine('X-Bell: a\x07b'),
  addLine('X-High: \xff\xfe'),
  addLine('X-Folded: a\r\n b'),
  addLine('X-Carriage: a\rX-Fault: after(COMMIT)=kill'),
  addLine('X-Fault: after(COMMIT)=explode\r\nX-Fault: before(SET)=explode'),
  inHead((head) => head.replaceAll('\r\n', '\n')),
  inHead((head) => `\r\n${head}`),
  inHead((head) => ` ${head}`),
  version('HTTP/1.0'),
  version('HTTP/1.2'),
  version('HTTP/2.0'),
  version('HTTP/9.9'),
  version('HTTP/1.'),
  version('HTTP'),
  version('http/1.1'),
  () => complete(Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')),
  () => complete(Buffer.from([0x16, 0x03, 0x01, 0x00, 0xa5, 0x01, 0x00, 0x00, 0xa1, 0x03, 0x03])),
  () => complete(Buffer.from('\0\0\0\0\0\0\0\0\r\n\r\n')),
  () => endless(Buffer.from('POST /orders HTTP/1.1\r\nHost: x\r\n')),
  () => endless(Buffer.from('')),
];

/** Malforms the message in a way that client libraries do not. */
export const malform = (message: Message, host: string, random: SeededRandom): RawRequest =>
  random.pick(MUTATIONS)(message, host);
