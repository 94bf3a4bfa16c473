import { readFileSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { join, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { request } from 'undici';
import type { StackOptions } from '#lab/stack';

export { eventually } from '../harness/eventually';

const FIXTURES = join(__dirname, 'fixtures');
const REPLICA = join(FIXTURES, 'replica.mjs');

const folders: string[] = [];

/** A private folder under .lab/, where all stacks share the database template; removed after the specs. */
export function freshDir(): string {
  const folder = resolve('.lab', `test-stack-${process.pid}-${folders.length}`);
  folders.push(folder);
  return folder;
}

/**
 * A private folder without siblings. A stack that starts anywhere else, for instance in another spec, does not kill the
 * processes that a killed owner leaves in it.
 */
export const dirWithoutSiblings = (): string => join(freshDir(), 'stack');

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Real servers, with stub replicas in place of the apps. */
export function options(replicas: StackOptions['replicas'], more: Partial<StackOptions> = {}): StackOptions {
  return {
    dir: freshDir(),
    replicas,
    lab: true,
    durability: 'relaxed',
    entries: { order: REPLICA, inventory: REPLICA },
    migrations: [join(FIXTURES, 'migrate.mjs')],
    ...more,
  };
}

export const NONE = { order: 0, inventory: 0 };

export interface Reply {
  readonly status: number;
  readonly type: string;
  readonly json: {
    code?: string;
    replica?: string;
    url?: string;
    headers?: Record<string, string>;
    environment?: Record<string, string>;
  };
}

export async function call(url: string, init: Parameters<typeof request>[1] = {}): Promise<Reply> {
  const { statusCode, headers, body } = await request(url, init);
  const text = await body.text();
  return {
    status: statusCode,
    type: String(headers['content-type']),
    json: JSON.parse(text) as Reply['json'],
  };
}

/** A GET whose path is sent unchanged, including dots. */
export function callRaw(origin: string, path: string): Promise<Reply> {
  const { hostname, port } = new URL(origin);
  return new Promise((done, failed) => {
    get({ hostname, port, path, agent: false }, (response) => {
      const status = response.statusCode ?? 0;
      const type = response.headers['content-type'] ?? '';
      void json(response).then((body) => {
        done({ status, type, json: body as Reply['json'] });
      }, failed);
    }).on('error', failed);
  });
}

export function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** The process ids recorded by the stack in this folder. */
export function recordedPids(dir: string): number[] {
  const { processes } = JSON.parse(readFileSync(join(dir, 'pids.json'), 'utf8')) as {
    processes: { pid: number }[];
  };
  return processes.map(({ pid }) => pid);
}

export interface Line {
  readonly type: string;
  readonly t: number;
  readonly replica: string;
  readonly pid: number;
  readonly signal?: string;
  readonly asked?: boolean;
}

export const supervisorLines = (historyDir: string): Line[] =>
  readFileSync(join(historyDir, 'supervisor.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
