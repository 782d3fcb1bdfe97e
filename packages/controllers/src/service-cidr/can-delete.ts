import type { IPAddress, ServiceCIDR } from '@coxswain/api/networking/v1';
import { AddressPrefix } from './address-prefix.ts';

const prefixesOf = ({ spec }: ServiceCIDR): AddressPrefix[] =>
  (spec?.cidrs ?? []).flatMap((cidr) => AddressPrefix.parse(cidr) ?? []);

/** Whether the API server allocated the address for a service. Other IPAddresses are ignored. */
export const isServiceAddress = ({ metadata }: IPAddress): boolean =>
  metadata.labels?.['ipaddress.kubernetes.io/managed-by'] === 'ipallocator.k8s.io';

/** Returns the ServiceCIDRs that contain the address. */
export const holdersOf = (address: IPAddress, all: Iterable<ServiceCIDR>): ServiceCIDR[] =>
  [...all].filter((cidr) => prefixesOf(cidr).some((prefix) => prefix.holds(address.metadata.name ?? '')));

/** Returns the ServiceCIDRs that overlap this one, including itself. */
export function overlapping(cidr: ServiceCIDR, all: Iterable<ServiceCIDR>): ServiceCIDR[] {
  const prefixes = prefixesOf(cidr);
  return [...all].filter((other) => prefixesOf(other).some((it) => prefixes.some((prefix) => prefix.overlaps(it))));
}

/** Whether every address in use is contained in another ServiceCIDR. `all` may include the one to delete. */
export function canDelete(cidr: ServiceCIDR, all: readonly ServiceCIDR[], addresses: Iterable<IPAddress>): boolean {
  const others = all.filter(({ metadata }) => metadata.name !== cidr.metadata.name).flatMap(prefixesOf);
  const prefixes = prefixesOf(cidr);
  if (prefixes.every((prefix) => others.some((other) => other.contains(prefix)))) return true;
  for (const address of addresses) {
    const { name = '' } = address.metadata;
    if (!isServiceAddress(address) || !prefixes.some((prefix) => prefix.holds(name))) continue;
    if (!others.some((other) => other.holds(name))) return false;
  }
  return true;
}
