import { resolver, type Resolve, type Schema } from './schema';

/** The parts of an app's OpenAPI document that we read. */
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

/** What a request body is, as the document says. */
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
  /** With `{names}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: BodyKind | undefined;
  /** Answers that are no answer of the shop, and that the document admits: 501, 502, 503. */
  readonly admits: ReadonlySet<number>;
  readonly resolve: Resolve;
}

/** All endpoints of an app's document, in its order. */
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

/** How often an endpoint is asked, compared with others: the more it reads, the more often. */
export const weightOf = ({ parameters, body }: Endpoint): number =>
  1 + Math.min(3, parameters.length) + (body === undefined ? 0 : 2);

/** Endpoints that only the lab address has. */
export const isLab = ({ path }: Pick<Endpoint, 'path'>): boolean => /^\/lab(\/|$)/.test(path);

/** Endpoints that say how often something goes on by itself. */
export const isTimer = ({ method, body, resolve }: Pick<Endpoint, 'method' | 'body' | 'resolve'>): boolean =>
  method === 'POST' && Object.hasOwn(resolve(body?.schema ?? {}).properties ?? {}, 'everyMs');
