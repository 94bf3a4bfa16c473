import type { Endpoint } from '#load-tests/fuzz';

type Schema = NonNullable<Endpoint['body']>['schema'];

/** The places of an endpoint's parameters and body where anything, however large, would do. */
export function unboundedIn({ name, parameters, body, resolve }: Endpoint): string[] {
  const inParameters = parameters
    .filter((parameter) => parameter.name !== GRAMMAR)
    .flatMap((parameter) => unbounded(parameter.schema ?? {}, `${name}, ${parameter.name}`, resolve));
  return [...inParameters, ...(body === undefined ? [] : unbounded(body.schema, `${name}, body`, resolve))];
}

/** Has a grammar of its own, and at most so much as a header may have. */
const GRAMMAR = 'X-Fault';

function unbounded(given: Schema, at: string, resolve: Endpoint['resolve']): string[] {
  const schema = resolve(given);
  const inside = (one: Schema, place: string): string[] => unbounded(one, place, resolve);
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
        ...Object.entries(schema.properties ?? {}).flatMap(([field, one]) => inside(one, `${at}.${field}`)),
      ];
    default:
      return [at];
  }
}

/** A pattern from beginning to end that repeats nothing for ever. */
const isShort = (pattern: string | undefined): boolean =>
  pattern !== undefined &&
  /^\^.*\$$/.test(pattern) &&
  !/[*+]|\{\d+,\}/.test(pattern.replaceAll(/\[[^\]]*\]/g, ''));
