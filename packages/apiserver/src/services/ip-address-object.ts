import type { IPAddress, ParentReference } from '@coxswain/api/networking/v1';
import type { IPFamily } from './address-range.ts';

export const networkingGroup = 'networking.k8s.io';

const familyLabel = 'ipaddress.kubernetes.io/ip-family';
const managedByLabel = 'ipaddress.kubernetes.io/managed-by';
const managedBy = 'ipallocator.k8s.io';

/** The service that an address is for. */
export interface Owner {
  readonly namespace: string;
  readonly name: string;
}

/** Returns the IPAddress that records an allocated address. Its name is the address, so there can be only one. */
export function newIPAddress(address: string, family: IPFamily, { namespace, name }: Owner): IPAddress {
  return {
    kind: 'IPAddress',
    apiVersion: 'networking.k8s.io/v1',
    metadata: { name: address, labels: { [familyLabel]: family, [managedByLabel]: managedBy } },
    spec: { parentRef: { resource: 'services', namespace, name } },
  };
}

/** Returns whether the IPAddress is managed by the allocator of service addresses, by its label. */
export const isManaged = ({ metadata }: IPAddress): boolean => metadata.labels?.[managedByLabel] === managedBy;

export const hasRightLabels = (object: IPAddress, family: IPFamily): boolean =>
  isManaged(object) && object.metadata.labels?.[familyLabel] === family;

/** Returns the service in `parentRef`, or undefined when the parent is not a service or missing. */
export function ownerOf({ spec }: IPAddress): Owner | undefined {
  const parent: Partial<ParentReference> = spec?.parentRef ?? {};
  if (parent.group || parent.resource !== 'services') return undefined;
  return { namespace: parent.namespace ?? '', name: parent.name ?? '' };
}

export const isSameOwner = (a: Owner, b: Owner): boolean => a.namespace === b.namespace && a.name === b.name;
