import type { IPAddress, ServiceCIDR } from '@coxswain/api/networking/v1';
import { AddressPrefix } from './address-prefix.ts';

const prefixesOf = ({ spec }: ServiceCIDR): AddressPrefix[] =>
  (spec?.cidrs ?? []).flatMap((cidr) => AddressPrefix.parse(cidr) ?? []);

/** Whether a service's address that the API server gave out: others are nobody's business here. */
export const isServiceAddress = ({ metadata }: IPAddress): boolean =>
  metadata.labels?.['ipaddress.kubernetes.io/managed-by'] === 'ipallocator.k8s.io';

/** Those whose ranges the address may be from. */
export const holdersOf = (address: IPAddress, all: Iterable<ServiceCIDR>): ServiceCIDR[] =>
  [...all].filter((cidr) => prefixesOf(cidr).some((prefix) => prefix.holds(address.metadata.name ?? '')));

/** Those that have addresses in common with the one, itself among them. */
export function overlapping(cidr: ServiceCIDR, all: Iterable<ServiceCIDR>): ServiceCIDR[] {
  const prefixes = prefixesOf(cidr);
  return [...all].filter((other) => prefixesOf(other).some((it) => prefixes.some((prefix) => prefix.overlaps(it))));
}

/** Whether every address that is in use would be in another range still. `all` may contain the one that is to go. */
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
