/** The supported part of JSON schemas in OpenAPI documents. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number | boolean;
  readonly exclusiveMaximum?: number | boolean;
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}

/** Follows `$ref`s within the document of the schema. */
export type Resolve = (schema: Schema) => Schema;

export function resolver(schemas: Readonly<Record<string, Schema>>): Resolve {
  return (schema) => {
    let at = schema;
    while (at.$ref !== undefined) {
      const found = schemas[at.$ref.replace('#/components/schemas/', '')];
      if (found === undefined) throw new Error(`the OpenAPI document has no ${at.$ref}`);
      at = found;
    }
    return at;
  };
}

/** Whether a parsed JSON value conforms to the schema. Unsupported keywords are ignored. */
export function conforms(given: Schema, value: unknown, resolve: Resolve): boolean {
  const schema = resolve(given);
  const fits = (one: Schema): boolean => conforms(one, value, resolve);
  if (value === null && schema.nullable === true) return true;
  if (schema.const !== undefined && value !== schema.const) return false;
  if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
  if (schema.oneOf !== undefined && !schema.oneOf.some(fits)) return false;
  if (schema.anyOf !== undefined && !schema.anyOf.some(fits)) return false;
  if (schema.allOf !== undefined && !schema.allOf.every(fits)) return false;
  switch (schema.type ?? '') {
    case 'integer':
      return Number.isInteger(value) && inRange(schema, value as number);
    case 'number':
      return Number.isFinite(value) && inRange(schema, value as number);
    case 'string':
      return typeof value === 'string' && stringFits(schema, value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'array':
      return Array.isArray(value) && arrayFits(schema, value, resolve);
    case 'object':
      return typeof value === 'object' && !Array.isArray(value) && objectFits(schema, value, resolve);
    default:
      return true;
  }
}

/** As `conforms`, for the text of a path, query or header: integers are written in digits. */
export function textConforms(given: Schema, text: string, resolve: Resolve): boolean {
  const schema = resolve(given);
  if (schema.type === 'integer') return /^-?\d{1,18}$/.test(text) && conforms(schema, Number(text), resolve);
  if (schema.type === 'boolean') return text === 'true' || text === 'false';
  return conforms(schema, text, resolve);
}

function inRange(schema: Schema, value: number): boolean {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum, exclusiveMaximum } = schema;
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) return false;
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) return false;
  if (exclusiveMinimum === true && value === minimum) return false;
  if (exclusiveMaximum === true && value === maximum) return false;
  return value >= minimum && value <= maximum;
}

/** OpenAPI does not define whether patterns use Unicode mode; those of this project with `\p{…}` require it. */
const patterns = new Map<string, RegExp>();
function patternOf(source: string): RegExp {
  const known = patterns.get(source);
  if (known !== undefined) return known;
  const pattern = new RegExp(source, source.includes('\\p{') ? 'u' : '');
  patterns.set(source, pattern);
  return pattern;
}

function stringFits({ pattern, minLength = 0, maxLength = Infinity }: Schema, value: string): boolean {
  if (value.length < minLength || value.length > maxLength) return false;
  return pattern === undefined || patternOf(pattern).test(value);
}

function arrayFits(
  { items, minItems = 0, maxItems = Infinity }: Schema,
  value: readonly unknown[],
  resolve: Resolve,
): boolean {
  if (value.length < minItems || value.length > maxItems) return false;
  return items === undefined || value.every((item) => conforms(items, item, resolve));
}

function objectFits(
  { properties = {}, required = [], additionalProperties }: Schema,
  value: object | null,
  resolve: Resolve,
): boolean {
  if (value === null) return false;
  if (!required.every((name) => Object.hasOwn(value, name))) return false;
  return Object.entries(value).every(([name, field]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known !== undefined) return conforms(known, field, resolve);
    if (typeof additionalProperties === 'object') return conforms(additionalProperties, field, resolve);
    return additionalProperties !== false;
  });
}
