import { isLab, isTimer, type Endpoint } from './document';
import { minimal } from './minimal';
import { toBytes } from './request';
import { POOL } from './values';

/** The name of the pool that is never created, so that some requests target a missing resource. */
const NEVER_MADE = 'never-made';

/**
 * Requests to the lab address that reset every resource of the pool and stop periodic jobs, so that all later changes are
 * caused by requests of the fuzzer.
 */
export function tidyingOf(endpoints: readonly Endpoint[], labUrl: string): Buffer[] {
  const { host } = new URL(labUrl);
  const lab = endpoints.filter((endpoint) => isLab(endpoint) && endpoint.method === 'POST');
  const resets = lab.filter(({ path }) => path.endsWith('/reset'));
  const names = POOL.filter((name) => name !== NEVER_MADE);
  return [
    ...lab.filter(isTimer).map((endpoint) => minimalRequest(endpoint, '', host)),
    ...resets.flatMap((endpoint) => names.map((name) => minimalRequest(endpoint, name, host))),
  ];
}

function minimalRequest({ path, body, resolve }: Endpoint, name: string, host: string): Buffer {
  const value = minimal(body?.schema ?? {}, name, resolve);
  return toBytes(
    {
      method: 'POST',
      target: path,
      headers: [['Content-Type', 'application/json']],
      body: Buffer.from(JSON.stringify(value)),
    },
    host,
  );
}
