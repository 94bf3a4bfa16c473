import type { Component, ServerAddresses } from '#lab/step';

/** By component: the field of its address, and the environment variable (libs/config) through which replicas receive it. */
const FIELDS = {
  redlock: ['voters', 'REDLOCK_URLS'],
  replica: ['primary', 'REPLICATED_REDIS_URL'],
  zookeeper: ['zookeeper', 'ZOOKEEPER_URL'],
  etcd: ['etcd', 'ETCD_URL'],
  gateway: ['gateway', 'GATEWAY_URL'],
} as const satisfies Record<Component, readonly [keyof ServerAddresses, string]>;

/** The environment variables with the addresses of the servers on demand. */
export const environmentOf = (addresses: ServerAddresses): Record<string, string> =>
  Object.fromEntries(
    Object.values(FIELDS).flatMap(([field, variable]) => {
      const address = addresses[field];
      return address === undefined ? [] : [[variable, String(address)]];
    }),
  );

/** The environment variable of a component without an address; undefined when the address is known. */
export function missingVariable(addresses: ServerAddresses, component: Component): string | undefined {
  const [field, variable] = FIELDS[component];
  return addresses[field] === undefined ? variable : undefined;
}
