import { conforms, type Resolve, type Schema } from './schema';

/** Preferred value of numbers; small enough that reading all rows stays fast. */
const AMOUNT = 1000;

/** Fields with the interval of a periodic job; their minimum switches the job off. */
const RECURRING = /^everyMs$/;

/** A minimal value of the schema: required fields only, and `name` for every string that is no choice. Throws when a string rejects `name`. */
export function minimal(given: Schema, name: string, resolve: Resolve, field = ''): unknown {
  const schema = resolve(given);
  const { type = '', minimum = 0, maximum = AMOUNT, items = {}, properties = {}, required = [] } = schema;
  const shape = schema.oneOf?.[0] ?? schema.anyOf?.[0];
  if (shape !== undefined) return minimal(shape, name, resolve, field);
  switch (type) {
    case 'integer':
    case 'number':
      return RECURRING.test(field) ? minimum : Math.max(minimum, Math.min(AMOUNT, maximum));
    case 'array':
      return [minimal(items, name, resolve)];
    case 'object':
      return Object.fromEntries(
        required.map((one) => [one, minimal(properties[one] ?? {}, name, resolve, one)]),
      );
    case 'string':
      if (schema.enum?.[0] !== undefined) return schema.enum[0];
      if (!conforms(schema, name, resolve))
        throw new Error(`"${name}" is no valid value for the field "${field}"`);
      return name;
    default:
      return null;
  }
}
