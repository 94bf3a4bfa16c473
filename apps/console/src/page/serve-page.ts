import fastifyStatic from '@fastify/static';
import { projectRoot } from '#lab/stack';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The built page: `npm run build`. */
const folder = (): string => join(projectRoot(), 'dist', 'web');

/** Only the page's own files run, and no other page may embed or read it. */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'";

const NOT_BUILT = `The page has not been built: run "npm run build", and start the lab again.
The API works without it: /docs describes it.
`;

/** Serves the page: its files, and index.html for the addresses of its views. Without a built page, a text says so. */
export async function servePage(app: NestFastifyApplication): Promise<void> {
  const root = folder();
  const server = app.getHttpAdapter().getInstance();
  if (!existsSync(join(root, 'index.html'))) {
    for (const view of ['/', ...VIEWS])
      server.get(view, (_request, reply) =>
        reply.status(503).type('text/plain; charset=utf-8').send(NOT_BUILT),
      );
    return;
  }
  await app.register(fastifyStatic, {
    root,
    wildcard: false,
    // file names contain a hash of their content, except index.html
    setHeaders: (response: { header(name: string, value: string): unknown }, path: string) => {
      response.header(
        'Cache-Control',
        path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
      response.header('Content-Security-Policy', POLICY);
      response.header('X-Content-Type-Options', 'nosniff');
    },
  });
  for (const view of VIEWS)
    server.get(view, (_request, reply) => (reply as unknown as SendsFiles).sendFile('index.html'));
  // a browser receives the page, which says that there is no such view; a program receives the problem
  server.get('/*', (request, reply) => {
    if (isOfPage(request)) return (reply.code(404) as unknown as SendsFiles).sendFile('index.html');
    reply.callNotFound();
  });
}

interface SendsFiles {
  sendFile(name: string): unknown;
}

const isOfPage = ({ url, headers }: Pick<FastifyRequest, 'url' | 'headers'>): boolean =>
  headers.accept?.includes('text/html') === true && !/^\/(api|docs|assets|sources)(\/|-|\?|$)/.test(url);

/** The addresses that the page itself resolves (web/src/app.tsx). */
const VIEWS = [
  '/run',
  '/run/*',
  '/step',
  '/step/*',
  '/explore',
  '/explore/*',
  '/matrix',
  '/catalogue',
  '/catalogue/*',
  '/class',
  '/lessons',
  '/lessons/*',
];
