import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { formatIP, parseIPSloppy } from '@coxswain/apimachinery/validation';
import { ipv4DefaultRoutes, ipv6DefaultRoutes } from './default-routes.ts';

export type IPFamily = 'IPv4' | 'IPv6';

export interface HostInterface {
  readonly name: string;
  /** In canonical form. */
  readonly addresses: readonly string[];
  readonly isLoopback: boolean;
}

/** The network of the machine, as far as the addresses of a node depend on it. */
export interface HostNetwork {
  /** Interfaces that are up and have addresses. */
  interfaces(): readonly HostInterface[];
  /** Names of the interfaces of the default routes, in the kernel's order. Undefined if there is no table of routes. */
  defaultInterfaces(): Promise<Readonly<Record<IPFamily, readonly string[]>> | undefined>;
  /** Addresses of a host name; none if it has none. */
  lookUp(name: string): Promise<readonly string[]>;
}

/** The network of this machine. */
export const hostNetwork = (procRoot = '/proc'): HostNetwork => ({
  interfaces: () =>
    Object.entries(networkInterfaces()).map(([name, addresses = []]) => ({
      name,
      addresses: addresses.map(({ address }) => canonical(address)),
      isLoopback: addresses.some(({ internal }) => internal),
    })),
  async defaultInterfaces() {
    const v4 = await readFile(join(procRoot, 'net/route'), 'utf8').catch(() => undefined);
    if (v4 === undefined) return undefined;
    const v6 = await readFile(join(procRoot, 'net/ipv6_route'), 'utf8').catch(() => '');
    return { IPv4: ipv4DefaultRoutes(v4), IPv6: ipv6DefaultRoutes(v6) };
  },
  lookUp: (name) =>
    lookup(name, { all: true }).then(
      (found) => found.map(({ address }) => canonical(address)),
      () => [],
    ),
});

/** Without the zone of a link-local address. */
function canonical(address: string): string {
  const bytes = parseIPSloppy(address.replace(/%.*$/, ''))?.bytes;
  return bytes ? formatIP(bytes) : address;
}
