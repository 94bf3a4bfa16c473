import type { Endpoint } from './document';
import { toBytes, type Addresses, type Side } from './request';
import { conforms, type Schema } from './schema';
import { POOL } from './values';

interface Tidying {
  readonly side: Side;
  readonly bytes: Buffer;
}

/** Few: a walk through all tables takes no time. */
const AMOUNT = 1000;

/** The requests that set everything that the fuzz works with anew: every reset of the lab, for every name it knows. */
export function tidyingOf(endpoints: readonly Endpoint[], addresses: Addresses): Tidying[] {
  const host = new URL(addresses.lab ?? 'http://none').host;
  if (addresses.lab === undefined) return [];
  const resets = endpoints.filter(
    ({ name, body }) => /^POST \/lab\/.*reset$/.test(name) && body !== undefined,
  );
  return resets.flatMap((endpoint) => {
    const known = POOL.filter((name) => name !== NEVER_MADE);
    return known.map((name) => ({ side: 'lab' as const, bytes: resetOf(endpoint, name, host) }));
  });
}

/** So that something is always asked for that is not there. */
const NEVER_MADE = 'never-made';

function resetOf({ path, body, resolve }: Endpoint, name: string, host: string): Buffer {
  const { properties = {}, required = [] } = resolve(body?.schema ?? {});
  const valueOf = (field: Schema): unknown => {
    if (conforms(field, name, resolve)) return name;
    return Math.min(AMOUNT, field.maximum ?? AMOUNT);
  };
  const fields = Object.entries(properties)
    .filter(([field]) => required.includes(field))
    .map(([field, schema]) => [field, valueOf(resolve(schema))]);
  return toBytes(
    {
      method: 'POST',
      target: path,
      headers: [['Content-Type', 'application/json']],
      body: Buffer.from(JSON.stringify(Object.fromEntries(fields))),
    },
    host,
  );
}
