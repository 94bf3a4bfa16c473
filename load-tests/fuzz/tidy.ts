import { isLab, isTimer, type Endpoint } from './document';
import { minimal } from './minimal';
import { toBytes } from './request';
import { POOL } from './values';

/** Of the pool: so that something is always asked for that is not there. */
const NEVER_MADE = 'never-made';

/**
 * The requests to the lab address that set everything that the fuzz works with anew, for every name it knows, and that stop
 * what goes on by itself: what changes then was changed by a request.
 */
export function tidyingOf(endpoints: readonly Endpoint[], labUrl: string): Buffer[] {
  const { host } = new URL(labUrl);
  const lab = endpoints.filter((endpoint) => isLab(endpoint) && endpoint.method === 'POST');
  const resets = lab.filter(({ path }) => path.endsWith('/reset'));
  const names = POOL.filter((name) => name !== NEVER_MADE);
  return [
    ...lab.filter(isTimer).map((endpoint) => asked(endpoint, '', host)),
    ...resets.flatMap((endpoint) => names.map((name) => asked(endpoint, name, host))),
  ];
}

function asked({ path, body, resolve }: Endpoint, name: string, host: string): Buffer {
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
