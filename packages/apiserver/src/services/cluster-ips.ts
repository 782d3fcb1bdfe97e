import type { Service, ServiceSpec } from '@coxswain/api/core/v1';
import { ApiError, GroupKind, invalid, newInternalError, newInvalid, Path } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { IPFamily } from './address-range.ts';
import { RangeFullError } from './cluster-ip-allocator.ts';

/** Addresses that a service needs, in order of its families: asked for by name, or any (empty). */
export interface ClusterIPRequest {
  /** The position among the service's families and addresses. */
  readonly index: number;
  readonly family: IPFamily;
  readonly address: string;
}

const path = Path.of('spec', 'clusterIPs');

const isExternalName = ({ type }: ServiceSpec): boolean => type === 'ExternalName';
const isHeadless = ({ clusterIPs = [] }: ServiceSpec): boolean => clusterIPs[0] === 'None';

/** The addresses that a service has. */
export function heldClusterIPs({ spec = {} }: Service): string[] {
  if (isExternalName(spec) || isHeadless(spec)) return [];
  return (spec.clusterIPs ?? (spec.clusterIP ? [spec.clusterIP] : [])).filter((address) => address !== '');
}

/** What a new service needs, or one that was an ExternalName. Its families are settled. */
export function clusterIPsForCreate({ spec = {} }: Service): ClusterIPRequest[] {
  if (isExternalName(spec) || isHeadless(spec)) return [];
  return (spec.ipFamilies ?? []).map((family, index) => request(spec, index, family));
}

/** What a changed service needs, and what it has no longer. */
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

/** Puts an address where it belongs. */
export function setClusterIP(service: Service, index: number, address: string): void {
  service.spec ??= {};
  const clusterIPs = [...(service.spec.clusterIPs ?? [])];
  clusterIPs[index] = address;
  service.spec.clusterIPs = clusterIPs;
  if (index === 0) service.spec.clusterIP = address;
}

/** The answer when an address is not to be had. */
export function clusterIPFailure({ metadata, spec }: Service, { address }: ClusterIPRequest, error: unknown): Error {
  const message = messageOf(error);
  const { name = '' } = metadata;
  if (!address && error instanceof RangeFullError) {
    const why = `failed to allocate a serviceIP for Service ${JSON.stringify(name)}: ${message}`;
    return newInternalError(new Error(why, { cause: error }));
  }
  // The places for addresses that are missing are there already when upstream prints what was asked for.
  const { clusterIPs = [], ipFamilies = [] } = spec ?? {};
  const asked = [...clusterIPs, ...ipFamilies.slice(clusterIPs.length).map(() => '')];
  const detail = address ? `failed to allocate IP ${address}: ${message}` : `failed to allocate IP: ${message}`;
  const failure = newInvalid(GroupKind.of('', 'Service'), name, [invalid(path, asked, detail)]);
  return new ApiError(failure.status, { cause: error });
}
