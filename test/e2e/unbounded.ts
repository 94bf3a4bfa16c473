import type { Endpoint } from '#load-tests/fuzz';

type Schema = NonNullable<Endpoint['body']>['schema'];

/** The parameters and body fields of an endpoint that have no upper bound. */
export function unboundedIn({ name, parameters, body, resolve }: Endpoint): string[] {
  const inParameters = parameters
    .filter((parameter) => parameter.name !== GRAMMAR)
    .flatMap((parameter) => unbounded(parameter.schema ?? {}, `${name}, ${parameter.name}`, resolve));
  return [...inParameters, ...(body === undefined ? [] : unbounded(body.schema, `${name}, body`, resolve))];
}

/** Has its own grammar and at most the length of a header. */
const GRAMMAR = 'X-Fault';

function unbounded(given: Schema, at: string, resolve: Endpoint['resolve']): string[] {
  const schema = resolve(given);
  const inside = (nested: Schema, place: string): string[] => unbounded(nested, place, resolve);
  if (schema.enum !== undefined || schema.const !== undefined) return [];
  const shapes = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (shapes !== undefined) return shapes.flatMap((shape) => inside(shape, at));
  switch (schema.type ?? '') {
    case 'boolean':
      return [];
    case 'integer':
    case 'number':
      return schema.minimum === undefined || schema.maximum === undefined ? [at] : [];
    case 'string':
      return schema.maxLength === undefined && !isShort(schema.pattern) ? [at] : [];
    case 'array':
      return [...(schema.maxItems === undefined ? [at] : []), ...inside(schema.items ?? {}, `${at}[]`)];
    case 'object':
      return [
        ...(schema.additionalProperties === false ? [] : [`${at}: surplus fields`]),
        ...Object.entries(schema.properties ?? {}).flatMap(([field, nested]) =>
          inside(nested, `${at}.${field}`),
        ),
      ];
    default:
      return [at];
  }
}

/** A pattern anchored at both ends without unbounded repetition. */
const isShort = (pattern: string | undefined): boolean =>
  pattern !== undefined &&
  /^\^.*\$$/.test(pattern) &&
  !/[*+]|\{\d+,\}/.test(pattern.replaceAll(/\[[^\]]*\]/g, ''));
