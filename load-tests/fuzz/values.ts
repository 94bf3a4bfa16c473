import type { SeededRandom } from '#lab/random';
import { MALFORMED_JSON, MALFORMED_TEXTS, SURPLUS_NAMES } from './malformed-input';
import { conforms, type Resolve, type Schema } from './schema';

/** A few resource names, so that requests share resources; those that exist initially come first. */
export const POOL: readonly string[] = ['phone', 'mug', 'ticket', 'fuzz-1', 'fuzz-2', 'never-made'];

const WORDS: readonly string[] = [
  ...POOL,
  'ann',
  "Zoë O'Neil-Łuk",
  'a',
  'A.b_c-1',
  '7',
  '0',
  'x'.repeat(32),
  'x'.repeat(64),
  'batch-2026-11-21',
  '7b5c1f0a-3c55-4e57-9c2f-1b8a54d3c6a1',
  '2026-11-21T06:00:00Z',
  'https://example.org/x',
  '0123456789abcdef0123456789abcdef',
];

/** One time value in this many may be long; requests really take that time. The others exceed the minimum by `SHORT_MS`. */
const LONG_TIME_ODDS = 400;
const SHORT_MS = 20;

/** Generates values that a schema allows, and values that it usually forbids, as JSON text. */
export class Values {
  constructor(
    private readonly random: SeededRandom,
    private readonly resolve: Resolve,
  ) {}

  /** `name` of the field or parameter: one that ends with `Ms` is a time, which is rarely long. */
  valid(given: Schema, name = ''): string {
    const schema = this.resolve(given);
    const { random } = this;
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum !== undefined) return JSON.stringify(random.pick(schema.enum));
    const shapes = schema.oneOf ?? schema.anyOf;
    if (shapes !== undefined) return this.valid(random.pick(shapes), name);
    if (schema.allOf !== undefined)
      return this.valid(Object.assign({}, ...schema.allOf.map(this.resolve)) as Schema);
    switch (schema.type ?? '') {
      case 'integer':
      case 'number':
        return String(this.validNumber(schema, name));
      case 'boolean':
        return String(random.oneIn(2));
      case 'array':
        return this.validArray(schema);
      case 'object':
        return this.validObject(schema);
      default:
        return JSON.stringify(this.validString(schema, name));
    }
  }

  /** A value of another type, just out of range, or malformed. */
  broken(given: Schema, name = ''): string {
    const schema = this.resolve(given);
    const { random } = this;
    const { minimum, maximum, maxItems } = schema;
    const edges = [
      ...(minimum === undefined ? [] : [minimum - 1, minimum - 0.5]),
      ...(maximum === undefined ? [] : [maximum + 1, maximum * 2, maximum * 1e6]),
    ].map(String);
    if (edges.length > 0 && random.oneIn(3)) return random.pick(edges);
    if (schema.type === 'array' && random.oneIn(3)) {
      const one = this.valid(schema.items ?? {});
      return `[${Array.from({ length: (maxItems ?? 50) + 1 }, () => one).join(',')}]`;
    }
    const shape = random.pick(schema.oneOf ?? schema.anyOf ?? [schema]);
    if (this.resolve(shape).type === 'object' && !random.oneIn(4))
      return this.brokenObject(this.resolve(shape));
    if (schema.type === 'array' && random.oneIn(2)) return `[${this.broken(schema.items ?? {}, name)}]`;
    return random.oneIn(2) ? random.pick(MALFORMED_JSON) : JSON.stringify(random.pick(MALFORMED_TEXTS));
  }

  private validNumber(schema: Schema, name: string): number {
    const { random } = this;
    const least = schema.minimum ?? 0;
    if (name === 'everyMs') return random.pick([least, schema.maximum ?? least]); // no periodic job runs during the fuzz
    const isTime = name.endsWith('Ms');
    const most =
      isTime && !random.oneIn(LONG_TIME_ODDS) ? least + SHORT_MS : (schema.maximum ?? least + 1000);
    const few = Math.min(most, least + 10);
    return random.pick([
      least,
      Math.min(most, least + 1),
      most,
      few,
      least + random.below(most - least + 1),
      ...(typeof schema.default === 'number' && !isTime ? [schema.default] : []),
    ]);
  }

  private validString(schema: Schema, name: string): string {
    const fitting = (words: readonly string[]): string[] =>
      words.filter((word) => conforms({ ...schema, type: 'string' }, word, this.resolve));
    const known = fitting(POOL);
    const words = this.random.oneIn(4) || known.length === 0 ? fitting(WORDS) : known;
    if (words.length > 0) return this.random.pick(words);
    throw new Error(
      `no valid text is known for "${name}" (${JSON.stringify(schema)}). Add one to WORDS in load-tests/fuzz/values.ts`,
    );
  }

  private validArray({ items = {}, minItems = 0, maxItems = 5 }: Schema): string {
    const most = this.random.oneIn(20) ? maxItems : Math.min(maxItems, minItems + 3);
    const length = minItems + this.random.below(most - minItems + 1);
    return `[${Array.from({ length }, () => this.valid(items)).join(',')}]`;
  }

  private validObject(schema: Schema): string {
    return writeObject(this.fieldsOf(schema));
  }

  private fieldsOf({ properties = {}, required = [] }: Schema): [string, string][] {
    return Object.entries(properties)
      .filter(([name]) => required.includes(name) || this.random.oneIn(2))
      .map(([name, field]) => [name, this.valid(field, name)]);
  }

  private brokenObject(schema: Schema): string {
    const { random } = this;
    const fields = this.fieldsOf(schema);
    const at = fields.length === 0 ? 0 : random.below(fields.length);
    const [name, value] = fields[at] ?? ['', 'null'];
    switch (random.below(6)) {
      case 0: // a field is missing
        fields.splice(at, 1);
        break;
      case 1: // a surplus field
        fields.splice(at, 0, [random.pick(SURPLUS_NAMES), random.pick(MALFORMED_JSON)]);
        break;
      case 2: // a duplicate field
        fields.push([name, random.oneIn(2) ? value : random.pick(MALFORMED_JSON)]);
        break;
      default: // a field with a broken value
        if (fields[at] !== undefined) fields[at] = [name, this.broken(schema.properties?.[name] ?? {}, name)];
    }
    return writeObject(fields);
  }
}

const writeObject = (fields: readonly (readonly [string, string])[]): string =>
  `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
