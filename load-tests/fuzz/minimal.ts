import { conforms, type Resolve, type Schema } from './schema';

/** What a number is, where it may be: a walk through all rows takes no time. */
const AMOUNT = 1000;

/** Names of fields that begin something which goes on by itself: it is switched off. */
const RECURRING = /^everyMs$/;

/** The smallest value that the schema allows: only what is required, and `name` wherever a name may be. */
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
      if (!conforms(schema, name, resolve)) throw new Error(`"${name}" will not do for ${field}`);
      return name;
    default:
      return null;
  }
}
