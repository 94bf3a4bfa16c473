import type { SeededRandom } from '#lab/random';
import type { BodyKind } from './document';
import { conforms, type Resolve } from './schema';
import { Values } from './values';

/** A body; `forbidden`: the OpenAPI document certainly forbids it. */
export interface Body {
  readonly bytes: Buffer;
  readonly forbidden: boolean;
}

/** Nesting levels. */
const DEPTH = 4000;
/** Characters of a text. */
const LARGE = 17 * 1024;

/** Generates bodies: one JSON value, or several lines of JSON for line-based media types. */
export class Bodies {
  private readonly values: Values;

  constructor(
    private readonly random: SeededRandom,
    private readonly kind: BodyKind,
    private readonly resolve: Resolve,
  ) {
    this.values = new Values(random, resolve);
  }

  valid(): Body {
    return { bytes: Buffer.from(this.text(() => this.one())), forbidden: false };
  }

  broken(): Body {
    const { random } = this;
    if (random.oneIn(3)) return this.mangled();
    const text = this.text(() => this.values.broken(this.kind.schema));
    return { bytes: Buffer.from(text), forbidden: this.isLines ? false : this.forbids(text) };
  }

  /** Line-based bodies are answered line by line, so an invalid line does not make the request invalid. */
  private get isLines(): boolean {
    return !/json$/.test(this.kind.mediaType) || /ndjson|jsonl|json-seq/.test(this.kind.mediaType);
  }

  private text(line: () => string): string {
    if (!this.isLines) return line();
    const lines = Array.from({ length: this.random.below(6) }, () =>
      this.random.oneIn(2) ? line() : this.one(),
    );
    return lines.map((one) => `${one}\n`).join('');
  }

  private one(): string {
    return this.values.valid(this.kind.schema);
  }

  private forbids(text: string): boolean {
    try {
      return !conforms(this.kind.schema, JSON.parse(text), this.resolve);
    } catch {
      return true;
    }
  }

  /** Bodies that are malformed as a whole. */
  private mangled(): Body {
    const { random } = this;
    const text = this.one();
    const cut = text.slice(0, random.below(Math.max(1, text.length)));
    const mangled: readonly Buffer[] = [
      ...[
        '',
        ' ',
        'null',
        '[]',
        '"x"',
        '1',
        'true',
        '{',
        '}',
        '{}',
        '{"":0}',
        '[[[',
        cut,
        `${text},`,
        `${text}${text}`,
        `${text}\0`,
        `[${text}]`,
        `/* x */${text}`,
        text.replaceAll('"', "'"),
        text.replaceAll(':', '='),
        '['.repeat(DEPTH),
        `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`,
        `${'{"a":'.repeat(DEPTH / 2)}1${'}'.repeat(DEPTH / 2)}`,
        `"${'x'.repeat(LARGE)}"`,
        `{"a":"${'\\u0000'.repeat(500)}"}`,
        'sku=phone&quantity=1&buyer=ann',
        '<order><sku>phone</sku></order>',
      ].map((one) => Buffer.from(one)),
      Buffer.from(text, 'utf16le'),
      Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xfe, 0xc0, 0x80])]),
      Buffer.from(text.replace(/"([a-z])/, '"\xff$1'), 'latin1'),
      Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]),
    ];
    const bytes = random.pick(mangled);
    const forbidden = !this.isLines && this.forbids(bytes.toString('utf8'));
    // a server may decode invalid UTF-8 to the replacement character, which some schemas allow
    return { bytes, forbidden: forbidden && bytes.equals(Buffer.from(bytes.toString('utf8'))) };
  }
}
