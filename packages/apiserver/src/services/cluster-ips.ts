import type { Service, ServiceSpec } from '@coxswain/api/core/v1';
import { ApiError, GroupKind, invalid, newInternalError, newInvalid, Path } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { IPFamily } from './address-range.ts';
import { RangeFullError } from './cluster-ip-allocator.ts';

/** An address that a service needs. */
export interface ClusterIPRequest {
  /** The index in `ipFamilies` and `clusterIPs`. */
  readonly index: number;
  readonly family: IPFamily;
  /** The requested address; empty for any. */
  readonly address: string;
}

const path = Path.of('spec', 'clusterIPs');

const isExternalName = ({ type }: ServiceSpec): boolean => type === 'ExternalName';
const isHeadless = ({ clusterIPs = [] }: ServiceSpec): boolean => clusterIPs[0] === 'None';

/** Returns the allocated addresses of a service. */
export function heldClusterIPs({ spec = {} }: Service): string[] {
  if (isExternalName(spec) || isHeadless(spec)) return [];
  return (spec.clusterIPs ?? (spec.clusterIP ? [spec.clusterIP] : [])).filter((address) => address !== '');
}

/** Returns the addresses to allocate for a new service, or for one that was an ExternalName. `ipFamilies` must be set. */
export function clusterIPsForCreate({ spec = {} }: Service): ClusterIPRequest[] {
  if (isExternalName(spec) || isHeadless(spec)) return [];
  return (spec.ipFamilies ?? []).map((family, index) => request(spec, index, family));
}

/** Returns the addresses to allocate and to release for an update. */
export function clusterIPsForUpdate(
  service: Service,
  old: Service,
): { needed: ClusterIPRequest[]; released: string[] } {
  const { spec = {} } = service;
  const { spec: before = {} } = old;
  if (isExternalName(before)) return { needed: clusterIPsForCreate(service), released: [] };
  if (isHeadless(before)) return { needed: [], released: [] };
  const held = heldClusterIPs(old);
  if (isExternalName(spec)) return { needed: [], released: held };
  const [families, familiesBefore] = [spec.ipFamilies ?? [], before.ipFamilies ?? []];
  if (familiesBefore.length === 1 && families.length === 2)
    return { needed: [request(spec, 1, families[1]!)], released: [] };
  return { needed: [], released: familiesBefore.length === 2 && families.length === 1 ? held.slice(1) : [] };
}

function request({ clusterIPs = [] }: ServiceSpec, index: number, family: string): ClusterIPRequest {
  return { index, family: family === 'IPv6' ? 'IPv6' : 'IPv4', address: clusterIPs[index] ?? '' };
}

/** Sets an allocated address in the spec. */
export function setClusterIP(service: Service, index: number, address: string): void {
  service.spec ??= {};
  const clusterIPs = [...(service.spec.clusterIPs ?? [])];
  clusterIPs[index] = address;
  service.spec.clusterIPs = clusterIPs;
  if (index === 0) service.spec.clusterIP = address;
}

/** Returns the ApiError for a failed allocation. */
export function clusterIPFailure({ metadata, spec }: Service, { address }: ClusterIPRequest, error: unknown): Error {
  const message = messageOf(error);
  const { name = '' } = metadata;
  if (!address && error instanceof RangeFullError) {
    const why = `failed to allocate a serviceIP for Service ${JSON.stringify(name)}: ${message}`;
    return newInternalError(new Error(why, { cause: error }));
  }
  // As upstream, the error shows empty strings for addresses that are not allocated yet.
  const { clusterIPs = [], ipFamilies = [] } = spec ?? {};
  const asked = [...clusterIPs, ...ipFamilies.slice(clusterIPs.length).map(() => '')];
  const detail = address ? `failed to allocate IP ${address}: ${message}` : `failed to allocate IP: ${message}`;
  const failure = newInvalid(GroupKind.of('', 'Service'), name, [invalid(path, asked, detail)]);
  return new ApiError(failure.status, { cause: error });
}
