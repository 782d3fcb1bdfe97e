import type { Endpoints, Service } from '@coxswain/api/core/v1';
import { formatIP, parseIPSloppy } from '@coxswain/apimachinery';
import { isUnspecified, type NetworkInterfaces } from '@coxswain/component-base/http';
import type { Lister } from '../registry/lister.ts';

export interface OwnAddressesOptions {
  /** Returns the address on which this server listens, or undefined before that. */
  readonly listening: () => { readonly host: string; readonly port: number } | undefined;
  readonly advertiseAddress: string;
  readonly services: Pick<Lister<Service>, 'get'>;
  readonly endpoints: Pick<Lister<Endpoints>, 'get'>;
  /** Returns the current network interfaces of this machine. */
  readonly interfaces: () => NetworkInterfaces;
}

/**
 * Returns a function that tests whether connections to an IP address and port reach an API server of this cluster: the addresses on
 * which this one listens, its advertise address, and the addresses of the service `kubernetes` and its endpoints.
 */
export const ownAddresses =
  (options: OwnAddressesOptions) =>
  (address: string, port: number): boolean => {
    const to = canonical(address);
    return isListener(to, port, options) || isOfService(to, port, options);
  };

function isListener(
  to: string,
  port: number,
  { listening, advertiseAddress, interfaces }: OwnAddressesOptions,
): boolean {
  const own = listening();
  if (own?.port !== port) return false;
  const host = canonical(own.host);
  if (to === host || to === canonical(advertiseAddress)) return true;
  // Connections to the unspecified address reach this machine.
  return isUnspecified(host) ? isOfThisMachine(to, interfaces()) : isLoopback(host) && isUnspecified(to);
}

function isOfService(
  to: string,
  port: number,
  { listening, services, endpoints, interfaces }: OwnAddressesOptions,
): boolean {
  const { spec, status } = services.get('default', 'kubernetes') ?? {};
  const { clusterIP = '', clusterIPs = [], externalIPs = [], ports = [] } = spec ?? {};
  const balancers = status?.loadBalancer?.ingress?.map(({ ip = '' }) => ip) ?? [];
  const has = (addresses: readonly string[]): boolean => addresses.some((one) => canonical(one) === to);
  if (ports.some((one) => one.port === port) && has([clusterIP, ...clusterIPs, ...externalIPs, ...balancers]))
    return true;
  if (listening() && ports.some(({ nodePort }) => nodePort === port) && isOfThisMachine(to, interfaces())) return true;
  const { subsets = [] } = endpoints.get('default', 'kubernetes') ?? {};
  return subsets.some(
    (subset) => subset.ports?.some((one) => one.port === port) && has(subset.addresses?.map(({ ip }) => ip) ?? []),
  );
}

const isLoopback = (address: string): boolean => address.startsWith('127.') || address === '::1';

const isOfThisMachine = (address: string, interfaces: NetworkInterfaces): boolean =>
  isUnspecified(address) ||
  isLoopback(address) ||
  Object.values(interfaces).some((addresses) => addresses?.some((own) => canonical(own.address) === address));

/** Returns the canonical form of an address: IPv4-mapped IPv6 addresses as IPv4, without a zone. */
function canonical(address: string): string {
  const parsed = parseIPSloppy(address.replace(/%.*$/s, ''));
  return parsed ? formatIP(parsed.bytes) : address;
}
