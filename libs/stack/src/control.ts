import type { Component } from '#lab/step';
import { createHash } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { announcedIn } from './claim';
import { StackError, type StackErrorCode } from './errors';
import type { AppName, Conditions, Replica, Stack, Urls } from './types';

/** A unix socket's path is limited to about 100 bytes. */
const LONGEST_PATH = 100;

const START_AGAIN = 'Start the lab again with: npm start';

/** The commands that another process can send: one JSON line as request, one JSON line as response. */
const COMMANDS = {
  urls: (stack) => Promise.resolve(stack.urls),
  replicas: (stack) => stack.replicas(),
  provide: (stack, components) => stack.provide(components as Component[]),
  scale: (stack, app, count) => stack.scale(app as AppName, Number(count)),
  kill: (stack, name) => stack.kill(String(name)),
  pause: (stack, name) => stack.pause(String(name)),
  resume: (stack, name) => stack.resume(String(name)),
  cut: (stack, name) => stack.cut(String(name)),
  swallow: (stack, name) => stack.swallow(String(name)),
  mend: (stack, name) => stack.mend(String(name)),
  reload: (stack) => stack.reload(),
  restart: (stack, name) => stack.restart(String(name)),
  ready: (stack) => stack.ready(),
  conditions: (stack) => stack.conditions(),
} as const satisfies Record<string, (stack: Stack, ...args: unknown[]) => Promise<unknown>>;

type CommandName = keyof typeof COMMANDS;

interface PendingCommand {
  readonly command: CommandName;
  readonly args: readonly unknown[];
}

interface Failure {
  readonly code: StackErrorCode;
  readonly message: string;
}

type Answer = { readonly value?: unknown } | Failure;

/** Lets other processes of the same user `attach` to this stack. */
export async function serveControl(
  dir: string,
  stack: Stack,
): Promise<{ path: string; close: () => Promise<void> }> {
  const path = socketPath(dir);
  rmSync(path, { force: true });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    createInterface({ input: socket }).on('line', (line) => {
      void answer(stack, line).then((reply) => socket.writable && socket.write(`${JSON.stringify(reply)}\n`));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(path, resolve);
  });
  chmodSync(path, 0o600);
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      for (const socket of sockets) socket.destroy();
      server.close(() => {
        resolve();
      });
    });
  return { path, close };
}

/**
 * The stack that another process, usually `lab up`, runs in this folder; undefined when there is none.
 * Its `stop` does nothing: only the process that started the stack stops it.
 */
export async function attach(folder: string): Promise<Stack | undefined> {
  const announced = announcedIn(resolve(folder));
  if (!announced) return undefined;
  const call = <T>(command: CommandName, ...args: unknown[]): Promise<T> =>
    ask(announced.control, { command, args }) as Promise<T>;
  let urls = await call<Urls>('urls');
  return {
    get urls() {
      return urls;
    },
    historyDir: announced.historyDir,
    replicas: () => call<readonly Replica[]>('replicas'),
    provide: async (components) => (urls = await call<Urls>('provide', components)),
    scale: (app, count) => call('scale', app, count),
    kill: (name) => call('kill', name),
    pause: (name) => call('pause', name),
    resume: (name) => call('resume', name),
    cut: (name) => call('cut', name),
    swallow: (name) => call('swallow', name),
    mend: (name) => call('mend', name),
    reload: () => call('reload'),
    restart: (name) => call('restart', name),
    ready: () => call('ready'),
    conditions: () => call<Conditions>('conditions'),
    stop: () => Promise.resolve(),
  };
}

async function answer(stack: Stack, line: string): Promise<Answer> {
  try {
    const { command, args } = JSON.parse(line) as PendingCommand;
    const run: (stack: Stack, ...args: unknown[]) => Promise<unknown> = COMMANDS[command];
    return { value: await run(stack, ...args) };
  } catch (error) {
    const { message } = error as Error;
    return { code: error instanceof StackError ? error.code : 'STACK.UNREACHABLE', message };
  }
}

/** Opens one connection per command, so that the caller holds none open in between. */
function ask(path: string, command: PendingCommand): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const lost = (cause?: Error): void => {
      const text = `The lab behind ${path} does not answer, because it is stopping or was killed. ${START_AGAIN}`;
      reject(new StackError('STACK.UNREACHABLE', text, { cause }));
    };
    const socket = connect(path, () => socket.write(`${JSON.stringify(command)}\n`));
    socket.once('error', lost).once('close', () => {
      lost();
    });
    createInterface({ input: socket })
      .on('error', () => undefined)
      .once('line', (line) => {
        const reply = JSON.parse(line) as Answer;
        if ('code' in reply) reject(errorOf(reply));
        else resolve(reply.value);
        socket.destroy();
      });
  });
}

function errorOf({ code, message }: Failure): StackError {
  return new StackError(code, code === 'STACK.STOPPED' ? `${message} ${START_AGAIN}` : message);
}

function socketPath(dir: string): string {
  const path = join(dir, 'control.sock');
  if (Buffer.byteLength(path) <= LONGEST_PATH) return path;
  const hash = createHash('sha256').update(dir).digest('hex').slice(0, 16);
  return join(tmpdir(), `oversell-lab-${hash}.sock`);
}
