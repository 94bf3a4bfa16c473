import type { ProcessLook } from '#lab/http';
import type { Replica } from '#lab/stack';
import type { Sample } from '#lab/verdict';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'undici';

const MB = 1024 * 1024;

/** Resource usage of an idle replica, measured by the system and by the replica itself. Linux only. */
export async function lookAt({ name, pid, url }: Replica, at: number): Promise<Sample> {
  const { statusCode, body } = await request(`${url}/lab/process`);
  const text = await body.text();
  if (statusCode !== 200)
    throw new Error(`GET ${url}/lab/process of ${name} answered ${statusCode}: ${text}`);
  const { heapBytes, resources } = JSON.parse(text) as ProcessLook;
  return {
    replica: name,
    pid,
    at,
    rssMb: residentBytes(pid) / MB,
    heapMb: heapBytes / MB,
    handles: readdirSync(`/proc/${pid}/fd`).length,
    resources: Object.values(resources).reduce((sum, n) => sum + n, 0),
  };
}

function residentBytes(pid: number): number {
  const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kb === undefined) throw new Error(`/proc/${pid}/status has no VmRSS. Run the soak on Linux.`);
  return 1024 * Number(kb);
}
