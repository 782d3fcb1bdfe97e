import { isIPv4, parseIPSloppy } from '@coxswain/apimachinery';
import type { Service, ServiceSpec } from '../../../generated/core/v1.ts';

export type IPFamily = 'IPv4' | 'IPv6';

/** The spec, empty where a client sent none. */
export const specOf = (service: Service): ServiceSpec => service.spec ?? {};

/** Reachable only by the addresses of its endpoints: it has no address of its own. */
export function isHeadless({ clusterIPs = [] }: ServiceSpec): boolean {
  return clusterIPs.length === 1 && clusterIPs[0] === 'None';
}

/** Everything but an ExternalName has a cluster address, even if that is `None`. */
export const needsClusterIP = ({ type }: ServiceSpec): boolean => type !== 'ExternalName';

/** Whether traffic from outside of the cluster may arrive. */
export function isExternallyAccessible({ type, externalIPs = [] }: ServiceSpec): boolean {
  return type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && externalIPs.length > 0);
}

/** Whether load balancers must ask nodes if they have endpoints. */
export function needsHealthCheck({ type, externalTrafficPolicy }: ServiceSpec): boolean {
  return type === 'LoadBalancer' && externalTrafficPolicy === 'Local';
}

/** An address written with colons counts as IPv6 unless it is an IPv4 address in disguise. */
export function isIPv6(address: string): boolean {
  const ip = parseIPSloppy(address);
  return ip !== undefined && !isIPv4(ip.bytes);
}

export const familyOf = (address: string): IPFamily => (isIPv6(address) ? 'IPv6' : 'IPv4');
export const otherFamily = (family: IPFamily): IPFamily => (family === 'IPv4' ? 'IPv6' : 'IPv4');

export function sameList(a: readonly unknown[] = [], b: readonly unknown[] = []): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}
