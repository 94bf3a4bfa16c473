import { resolver, type Resolve, type Schema } from './schema';

/** The parts of an app's OpenAPI document that the fuzzer reads. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
  readonly responses?: Readonly<Record<string, unknown>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

/** A documented request body. */
export interface BodyKind {
  readonly mediaType: string;
  readonly schema: Schema;
}

/** One method of one path. */
export interface Endpoint {
  readonly app: string;
  /** `POST /orders`. */
  readonly name: string;
  readonly method: string;
  /** With `{name}` placeholders. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: BodyKind | undefined;
  /** 5xx statuses that the document lists for this endpoint: 501, 502, 503. */
  readonly admits: ReadonlySet<number>;
  readonly resolve: Resolve;
}

/** All endpoints of an app's document, in document order. */
export function endpointsOf(app: string, { paths, components }: OpenApi): Endpoint[] {
  const resolve = resolver(components?.schemas ?? {});
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters = [], requestBody, responses = {} }]) => {
      const [content] = Object.entries(requestBody?.content ?? {});
      return {
        app,
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        parameters,
        body: content && { mediaType: content[0], schema: content[1].schema ?? {} },
        admits: new Set(
          Object.keys(responses)
            .map(Number)
            .filter((status) => status >= 500),
        ),
        resolve,
      };
    }),
  );
}

/** Relative frequency of requests to an endpoint: it grows with the number of inputs. */
export const weightOf = ({ parameters, body }: Endpoint): number =>
  1 + Math.min(3, parameters.length) + (body === undefined ? 0 : 2);

/** Whether only the lab address serves the endpoint. */
export const isLab = ({ path }: Pick<Endpoint, 'path'>): boolean => /^\/lab(\/|$)/.test(path);

/** Whether the endpoint sets the interval of a periodic job. */
export const isTimer = ({ method, body, resolve }: Pick<Endpoint, 'method' | 'body' | 'resolve'>): boolean =>
  method === 'POST' && Object.hasOwn(resolve(body?.schema ?? {}).properties ?? {}, 'everyMs');
