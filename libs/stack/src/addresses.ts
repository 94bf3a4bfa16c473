import type { Component, ServerAddresses } from '#lab/step';

/** Each component: where its address is kept, and the variable of libs/config that tells it to replicas. */
const PLACES = {
  redlock: ['voters', 'REDLOCK_URLS'],
  replica: ['primary', 'REPLICATED_REDIS_URL'],
  zookeeper: ['zookeeper', 'ZOOKEEPER_URL'],
  etcd: ['etcd', 'ETCD_URL'],
} as const satisfies Record<Component, readonly [keyof ServerAddresses, string]>;

/** The environment that says where the servers on demand are. */
export const environmentOf = (addresses: ServerAddresses): Record<string, string> =>
  Object.fromEntries(
    Object.values(PLACES).flatMap(([place, variable]) => {
      const address = addresses[place];
      return address === undefined ? [] : [[variable, String(address)]];
    }),
  );

/** The variable that would say where the component is; undefined when its address is known. */
export function missingVariable(addresses: ServerAddresses, component: Component): string | undefined {
  const [place, variable] = PLACES[component];
  return addresses[place] === undefined ? variable : undefined;
}
