import { SeededRandom } from '#lab/random';
import { Bodies } from './bodies';
import { isLab, isTimer, weightOf, type Endpoint, type Parameter } from './document';
import {
  BROKEN_FAULTS,
  CONTENT_TYPES,
  PATH_ENCODINGS,
  FAULT_HEADERS,
  FORBIDDEN_FAULTS,
  HARMLESS_FAULTS,
  MALFORMED_TEXTS,
  METHODS,
  SURPLUS_HEADERS,
  SURPLUS_NAMES,
} from './malformed-input';
import { toBytes, type Addresses, type FuzzRequest, type HeaderLine, type Side } from './request';
import { textConforms } from './schema';
import { Values } from './values';
import { malform } from './raw-request';

/** The inputs that determine the requests of a run. */
export interface Drawing {
  readonly seed: number;
  readonly endpoints: readonly Endpoint[];
  readonly addresses: Addresses;
  /** The app whose endpoints nginx's internal address serves. */
  readonly internalApp: string;
}

/** Generates request number `index` of a run. It depends only on the seed, the number and the documents. */
export function draw(drawing: Drawing, index: number): FuzzRequest {
  const random = SeededRandom.forItem(drawing.seed, index);
  const endpoint = pickEndpoint(random, drawing.endpoints);
  const side = random.pick(sidesOf(endpoint, drawing));
  return new RequestBuilder(random, endpoint, side, drawing.addresses[side] ?? '').build(index);
}

function pickEndpoint(random: SeededRandom, endpoints: readonly Endpoint[]): Endpoint {
  let left = random.below(endpoints.reduce((sum, endpoint) => sum + weightOf(endpoint), 0));
  const found = endpoints.find((endpoint) => (left -= weightOf(endpoint)) < 0);
  if (found === undefined) throw new Error('the OpenAPI documents contain no endpoint');
  return found;
}

function sidesOf(endpoint: Endpoint, { addresses, internalApp }: Drawing): readonly Side[] {
  const sides: readonly Side[] = isLab(endpoint)
    ? ['lab', 'lab', 'lab', 'public']
    : ['public', 'public', 'lab', ...(endpoint.app === internalApp ? (['internal'] as const) : [])];
  return sides.filter((side) => addresses[side] !== undefined);
}

/** Builds one request that is valid except for at most one broken part. */
class RequestBuilder {
  private readonly values: Values;
  private readonly parts: Record<'path' | 'query' | 'header', [string, string][]> = {
    path: [],
    query: [],
    header: [],
  };
  private readonly host: string;
  private body: Buffer | undefined;
  private method: string;
  private contentType: string | undefined;
  private pathEncoding = (path: string): string => path;
  private forbidden = false;
  private carriesFault = false;

  constructor(
    private readonly random: SeededRandom,
    private readonly endpoint: Endpoint,
    private readonly side: Side,
    url: string,
  ) {
    this.host = new URL(url).host;
    this.values = new Values(random, endpoint.resolve);
    this.method = endpoint.method;
    this.contentType = endpoint.body?.mediaType;
    for (const parameter of endpoint.parameters) this.fill(parameter);
    if (endpoint.body !== undefined) this.body = this.bodies(endpoint.body).valid().bytes;
  }

  build(index: number): FuzzRequest {
    const { random, endpoint, side, host } = this;
    const intent = random.below(10);
    if (intent >= 3 && intent < 9) this.breakOnePlace();
    if (random.oneIn(6)) this.parts.header.push([...random.pick(SURPLUS_HEADERS)]);
    const message = {
      method: this.method,
      target: this.target(),
      headers: this.headers(),
      body: this.body,
    };
    const rawRequest =
      intent === 9
        ? malform(message, host, random)
        : { bytes: toBytes(message, host), endless: false, message };
    return {
      index,
      endpoint: endpoint.name,
      side,
      method: this.method,
      bytes: rawRequest.bytes,
      message: rawRequest.message,
      endless: rawRequest.endless,
      forbidden: this.forbidden || (intent !== 9 && this.hasPublicFault()),
      carriesFault: this.carriesFault,
      startsTimer: isTimer(endpoint),
      admits: endpoint.admits,
      wantsLab: isLab(endpoint),
    };
  }

  private bodies(kind: NonNullable<Endpoint['body']>): Bodies {
    return new Bodies(this.random, kind, this.endpoint.resolve);
  }

  private fill(parameter: Parameter): void {
    const { name, schema = {}, required = false } = parameter;
    const place = placeOf(parameter);
    if (place === undefined || (!required && !this.random.oneIn(3))) return;
    if (place === 'header' && this.parts.query.some(([other]) => isSameOption(other, name))) return;
    if (isFault(name)) this.addFault();
    else this.parts[place].push([name, asText(this.values.valid(schema, name))]);
  }

  private addFault(): void {
    const { random, side } = this;
    // most requests to the public address carry no fault: it refuses every one that does
    if (side === 'public' && !random.oneIn(4)) return;
    const name = random.pick(FAULT_HEADERS.slice(0, 3));
    this.parts.header.push([name, random.pick(side === 'public' ? FORBIDDEN_FAULTS : HARMLESS_FAULTS)]);
    this.carriesFault = side !== 'public';
  }

  /** The public address refuses faults. Of a repeated header, older versions of nginx read the first. */
  private hasPublicFault(): boolean {
    const [, fault = ''] = this.parts.header.find(([name]) => isFault(name)) ?? [];
    return this.side === 'public' && fault.trim() !== '';
  }

  private breakOnePlace(): void {
    const { random, endpoint } = this;
    const places: (() => void)[] = [
      ...endpoint.parameters.map((parameter) => () => {
        this.breakParameter(parameter);
      }),
      () => this.parts.query.push([random.pick(SURPLUS_NAMES), random.pick(MALFORMED_TEXTS)]),
      () => {
        this.method = random.pick(METHODS);
      },
      () => {
        this.breakFault();
      },
      ...(isLab(endpoint) ? [() => (this.pathEncoding = random.pick(PATH_ENCODINGS))] : []),
    ];
    const { body } = endpoint;
    if (body !== undefined)
      places.push(
        () => {
          this.contentType = random.pick(CONTENT_TYPES);
        },
        // as often as all other parts together
        ...places.map(() => () => {
          const { bytes, forbidden } = this.bodies(body).broken();
          this.body = bytes;
          this.forbidden ||= forbidden;
        }),
      );
    else
      places.push(() => {
        this.body = Buffer.from(random.pick(['{}', '{"sku":"phone"}', 'x', '\0']));
        this.contentType = random.pick(CONTENT_TYPES);
      });
    random.pick(places)();
  }

  private breakParameter(parameter: Parameter): void {
    const { random } = this;
    const { name, schema = {}, required = false } = parameter;
    const place = placeOf(parameter);
    if (place === undefined) return;
    if (isFault(name)) {
      this.breakFault();
      return;
    }
    const others = this.parts[place].filter(([other]) => other !== name);
    if (required && place !== 'path' && random.oneIn(5)) {
      this.parts[place] = others;
      this.forbidden = true;
      return;
    }
    const text = asText(this.values.broken(schema, name));
    this.parts[place] = [...others, [name, text]];
    // a query parameter with another value would be one more reason to refuse the request
    if (place === 'header') this.parts.query = [];
    if (random.oneIn(8)) this.parts[place].push([name, text]);
    else this.forbidden = this.isCertainlyForbidden(schema, place, text);
  }

  private isCertainlyForbidden(
    schema: NonNullable<Parameter['schema']>,
    place: string,
    text: string,
  ): boolean {
    // these texts lead to another path
    if (place === 'path' && ['', '.', '..'].includes(text)) return false;
    // in transit, white space is trimmed and non-ASCII text is decoded differently
    if (place === 'header' && !/^[\x21-\x7e]+$/.test(text)) return false;
    return !textConforms(schema, text, this.endpoint.resolve);
  }

  private breakFault(): void {
    const { random, side } = this;
    const declared = this.endpoint.parameters.some(({ name }) => isFault(name));
    this.parts.header = this.parts.header.filter(([name]) => !isFault(name));
    this.carriesFault = false;
    const name = random.pick(side === 'public' ? FAULT_HEADERS : FAULT_HEADERS.slice(0, 3));
    const fault = random.pick(side === 'public' ? [...FORBIDDEN_FAULTS, ...BROKEN_FAULTS] : BROKEN_FAULTS);
    this.parts.header.push([name, fault]);
    if (random.oneIn(4)) this.parts.header.push([random.pick(FAULT_HEADERS.slice(0, 3)), fault]);
    this.forbidden = declared && side !== 'public';
  }

  private headers(): HeaderLine[] {
    const { contentType, body } = this;
    const type: HeaderLine[] =
      body === undefined || contentType === undefined || contentType === ''
        ? []
        : [['Content-Type', contentType]];
    return [...type, ...this.parts.header];
  }

  private target(): string {
    const values = new Map(this.parts.path);
    const path = this.endpoint.path.replace(/\{([^}]+)\}/g, (_, name: string) =>
      percent(values.get(name) ?? ''),
    );
    const query = this.parts.query.map(([name, text]) => `${percent(name)}=${percent(text)}`).join('&');
    return this.pathEncoding(query === '' ? path : `${path}?${query}`);
  }
}

const isFault = (name: string): boolean => name.toLowerCase() === 'x-fault';

/** Whether a query parameter and a header mean the same option: `leaseMs` and `X-Lease-Ms`. Different values are refused. */
const isSameOption = (query: string, header: string): boolean =>
  header.toLowerCase() === `x-${query.replace(/[A-Z]/g, '-$&')}`.toLowerCase();

function placeOf({ in: place }: Parameter): 'path' | 'query' | 'header' | undefined {
  return place === 'path' || place === 'query' || place === 'header' ? place : undefined;
}

/** A JSON value as a query would have it: a text as it is, anything else as it is written. */
function asText(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'string' ? value : json;
  } catch {
    return json;
  }
}

/** Percent-encodes every byte that is not unreserved in RFC 3986. */
const percent = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) => {
      const letter = String.fromCharCode(byte);
      return /[\w.~-]/.test(letter) ? letter : `%${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
