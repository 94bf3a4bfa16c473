import type { Config } from '#lab/config';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cleanupOpenApiDoc, ZodValidationPipe } from 'nestjs-zod';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { refuseUnreadable } from './client-error';
import { FaultGuard } from './lab/fault-guard';
import { LimitGuard } from './limit/limit-guard';
import { log, nestLogger } from './log';
import { ProblemError, problemOf, unsupportedMediaType } from './problem';
import { ProblemFilter, send } from './problem-filter';
import { RouteMethods } from './route-methods';

const LARGEST_BODY = 16 * 1024;
const REQUEST_ID = /^[\w.-]{1,64}$/;

interface ServeOptions {
  /** A route whose handler receives bodies as streams of any length and enforces its own limits. */
  readonly streamed?: { readonly type: string; readonly route: string };
  /** Its requests can choose a limit: the app has a `LimitGuard`. */
  readonly limited?: true;
  /** Before every route, except the OpenAPI page. */
  readonly prefix?: string;
  /** Adds to the server before it listens, for example a page. */
  readonly extend?: (app: NestFastifyApplication) => Promise<void>;
  readonly description?: string;
}

const SHOP =
  'A shop that oversells on purpose. Choose a strategy per request: ?strategy=NAME or X-Strategy: NAME.';

/** Starts a Nest app as one replica: validation, problem+json, OpenAPI at /docs, graceful shutdown. */
export async function serve(
  module: DynamicModule,
  title: string,
  config: Config,
  { streamed, limited, prefix, extend, description = SHOP }: ServeOptions = {},
): Promise<NestFastifyApplication> {
  const orphaned = new Promise<void>((resolve) => process.once('disconnect', resolve));
  log.open(config.replica);
  const adapter = new FastifyAdapter({
    bodyLimit: LARGEST_BODY,
    clientErrorHandler: refuseUnreadable,
    frameworkErrors: (error: Error, { id }: FastifyRequest, reply: FastifyReply) => {
      const answer = problemOf(error);
      log.answered(answer, error, { request: id });
      send(reply, answer);
    },
    return503OnClosing: false, // a request that still arrives is completed like the others
    genReqId: ({ headers }: IncomingMessage) => {
      const given = headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    },
  });
  if (streamed !== undefined)
    adapter.getInstance().addContentTypeParser(streamed.type, ({ routeOptions }, body, done) => {
      if (routeOptions.url === streamed.route) done(null, body);
      else done(new ProblemError(unsupportedMediaType()));
    });
  acceptJsonOnly(adapter);
  const routes = new RouteMethods();
  adapter.getInstance().addHook('onRoute', (route) => {
    routes.add(route);
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: false,
    bodyParser: false, // Nest's would accept forms; that of Fastify reads JSON
  });
  app.useLogger(nestLogger);
  app.useGlobalFilters(new ProblemFilter(routes));
  app.useGlobalGuards(
    new FaultGuard(config.labEnabled),
    ...(limited === true ? [app.get(LimitGuard, { strict: false })] : []),
  );
  app.useGlobalPipes(new ZodValidationPipe());
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', (request, reply, done) => {
      void reply.headers({ 'X-Replica': config.replica, 'X-Request-Id': request.id });
      done();
    });
  closeAfterLastResponse(app);
  if (prefix !== undefined) app.setGlobalPrefix(prefix);
  describe(app, title, description);
  await extend?.(app);
  stopWithParent(app, orphaned);
  await app.listen(config.port, config.host);
  return app;
}

/** Refuses every other body. An empty one is no body: `curl -d ''` gives it the type of a form. */
function acceptJsonOnly(adapter: FastifyAdapter): void {
  const server = adapter.getInstance();
  server.removeContentTypeParser('text/plain');
  server.addContentTypeParser('*', ({ headers }, _body, done) => {
    if (headers['content-length'] === '0') done(null, undefined);
    else done(new ProblemError(unsupportedMediaType()));
  });
}

function describe(app: NestFastifyApplication, title: string, description: string): void {
  const document = new DocumentBuilder().setTitle(title).setDescription(description).setVersion('1').build();
  SwaggerModule.setup('docs', app, () => cleanupOpenApiDoc(SwaggerModule.createDocument(app, document)));
}

/**
 * After shutdown begins, each response closes its connection: nginx would keep it, and so this process, alive for a
 * minute.
 */
function closeAfterLastResponse(app: NestFastifyApplication): void {
  let stopping = false;
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('preClose', (done) => {
      stopping = true;
      done();
    })
    .addHook('onSend', (_request, reply, _payload, done) => {
      if (stopping) void reply.header('Connection', 'close');
      done();
    });
}

/** Shuts down on SIGTERM, SIGINT and the end of the parent: in-flight requests finish, then the connections close. */
function stopWithParent(app: NestFastifyApplication, orphaned: Promise<void>): void {
  app.enableShutdownHooks(['SIGTERM', 'SIGINT']);
  void orphaned.then(() => app.close()).then(() => process.exit(0));
}
