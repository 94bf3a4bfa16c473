import { endpointsOf, type OpenApi, type State, type Subject } from '#load-tests/fuzz';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** The bugs that can be planted into an otherwise correct server. */
export type Bug =
  | 'none'
  | 'answers 500'
  | 'accepts values out of range'
  | 'writes despite a refusal'
  | 'writes before it validates'
  | 'closes the connection'
  | 'answers in plain text'
  | 'has two statuses for one code'
  | 'serves the lab in public'
  | 'accepts a public fault'
  | 'executes a public fault'
  | 'loses count';

const DOCUMENT: OpenApi = {
  paths: {
    '/things': {
      post: {
        parameters: [{ name: 'X-Fault', in: 'header', schema: { type: 'string' } }],
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  name: { type: 'string', pattern: '^[a-z]{1,8}$' },
                  count: { type: 'integer', minimum: 1, maximum: 10 },
                },
                required: ['name', 'count'],
                additionalProperties: false,
              },
            },
          },
        },
        responses: { '201': {} },
      },
    },
    '/lab/things/{name}': {
      get: {
        parameters: [
          { name: 'name', in: 'path', required: true, schema: { type: 'string', pattern: '^[a-z]{1,8}$' } },
        ],
        responses: { '200': {} },
      },
    },
  },
};

type Side = 'public' | 'lab';

/** A server with two endpoints, in-memory state, and at most one bug. */
export class SmallServer {
  private readonly servers: Server[] = [];
  private things = 0;
  private recorded = 0;
  private starts = 1;

  constructor(private readonly bug: Bug) {}

  async open(): Promise<Subject> {
    const [publicUrl, lab] = [await this.listen('public'), await this.listen('lab')];
    return {
      addresses: { public: publicUrl, lab },
      endpoints: endpointsOf('small', DOCUMENT),
      internalApp: 'none',
      look: () => Promise.resolve(this.state()),
      unbalanced: () =>
        Promise.resolve(
          this.things === this.recorded ? [] : [`${this.things} things, ${this.recorded} recorded`],
        ),
      lives: () => Promise.resolve(String(this.starts)),
    };
  }

  async close(): Promise<void> {
    for (const server of this.servers) {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    }
  }

  private state(): State {
    return { lasting: new Map([['things', String(this.things)]]), keys: new Map() };
  }

  private async listen(side: Side): Promise<string> {
    const server = createServer((request, response) => void this.answer(side, request, response));
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      void this.answer(side, request, response);
    });
    const refuse = (socket: Socket): void => {
      const body = problem(400, 'REQUEST.INVALID');
      socket.end(
        `HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    };
    server.on('clientError', (_error, socket: Socket) => {
      if (socket.writable) refuse(socket);
    });
    server.on('connect', (_request, socket: Socket) => {
      refuse(socket);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    this.servers.push(server);
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  private async answer(side: Side, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { bug } = this;
    const path = (request.url ?? '').replace(/\?.*/, '');
    const reply = (status: number, body: string, type = 'application/problem+json'): void => {
      response.writeHead(status, { 'Content-Type': type }).end(body);
    };
    const refuse = (status: number, code: string): void => {
      if (bug === 'writes despite a refusal') this.count();
      if (bug === 'answers in plain text') reply(status, 'no', 'text/plain');
      else reply(status, problem(status, code));
    };
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return; // the client has disconnected
    if (/^\/lab\/things\/[a-z]{1,8}$/.test(path) && request.method === 'GET')
      if (side === 'lab' || bug === 'serves the lab in public') reply(200, '{}', 'application/json');
      else refuse(404, 'REQUEST.NOT_FOUND');
    else if (path !== '/things' || request.method !== 'POST') refuse(404, 'REQUEST.NOT_FOUND');
    else this.make(side, request, body, { reply, refuse });
  }

  private make(
    side: Side,
    { headers, socket }: IncomingMessage,
    body: string,
    {
      reply,
      refuse,
    }: {
      reply: (status: number, body: string, type?: string) => void;
      refuse: (status: number, code: string) => void;
    },
  ): void {
    const { bug } = this;
    const thing = read(body);
    const isLarge = thing.count > 10 && Number.isSafeInteger(thing.count);
    const fault = headers['x-fault'];
    if (bug === 'executes a public fault' && side === 'public' && String(fault).includes('kill'))
      this.starts++;
    if (fault !== undefined && side === 'public' && bug !== 'accepts a public fault')
      refuse(403, 'FAULT.DISABLED');
    else if (
      fault !== undefined &&
      side === 'lab' &&
      !/^[\w:;#.() -]+=(error|lose-reply|delay\(\d\)[\w ;#()=]*)$/.test(fault.toString())
    ) {
      refuse(400, 'FAULT.SYNTAX');
    } else if (thing.isFine || (bug === 'accepts values out of range' && isLarge)) {
      this.count();
      if (bug === 'loses count') this.recorded--;
      reply(201, '{}', 'application/json');
    } else if (bug === 'answers 500' && isLarge) reply(500, problem(500, 'INTERNAL'));
    else if (bug === 'closes the connection' && isLarge) socket.destroy();
    else if (bug === 'writes before it validates' && isLarge) {
      this.count();
      refuse(400, 'REQUEST.INVALID');
    } else refuse(bug === 'has two statuses for one code' && isLarge ? 422 : 400, 'REQUEST.INVALID');
  }

  private count(): void {
    this.things++;
    this.recorded++;
  }
}

function read(body: string): { readonly isFine: boolean; readonly count: number } {
  try {
    const { name, count, ...more } = JSON.parse(body) as Record<string, unknown>;
    const isCount = Number.isInteger(count) && Number(count) >= 1 && Number(count) <= 10;
    const isName = typeof name === 'string' && /^[a-z]{1,8}$/.test(name);
    return { isFine: isCount && isName && Reflect.ownKeys(more).length === 0, count: Number(count) };
  } catch {
    return { isFine: false, count: Number.NaN };
  }
}

const problem = (status: number, code: string): string =>
  JSON.stringify({ type: 'about:blank', title: code, status, code, detail: code });
