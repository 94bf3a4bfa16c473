import { networkInterfaces } from 'node:os';

/** Interfaces of containers and virtual machines: other machines do not reach them. */
const VIRTUAL = /^(docker|br-|virbr|veth|vmnet|vboxnet|cni|podman|lxc|tun|tap|wg|utun)/;
/** An address that a machine gives itself when the network gives it none. */
const SELF_ASSIGNED = /^169\.254\./;

/**
 * The addresses at which other machines may reach this one: those of virtual interfaces last. Which of them the class reaches
 * depends on its network, so all are shown.
 */
export function joinUrls(port: number | string, interfaces = networkInterfaces()): string[] {
  const found = Object.entries(interfaces).flatMap(([name, addresses]) =>
    (addresses ?? [])
      .filter(
        ({ family, internal, address }) => family === 'IPv4' && !internal && !SELF_ASSIGNED.test(address),
      )
      .map(({ address }) => ({ address, isVirtual: VIRTUAL.test(name) })),
  );
  const sorted = found.sort((a, b) => Number(a.isVirtual) - Number(b.isVirtual));
  const addresses = sorted.length === 0 ? ['127.0.0.1'] : sorted.map(({ address }) => address);
  return addresses.map((address) => `http://${address}:${port}`);
}
