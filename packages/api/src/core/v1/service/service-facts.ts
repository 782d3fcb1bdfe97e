import { isIPv4, parseIPSloppy } from '@coxswain/apimachinery';
import type { Service, ServiceSpec } from '../../../generated/core/v1.ts';

export type IPFamily = 'IPv4' | 'IPv6';

/** Returns the spec; empty if absent. */
export const specOf = (service: Service): ServiceSpec => service.spec ?? {};

/** Reports whether the service is headless: without a cluster IP of its own. */
export function isHeadless({ clusterIPs = [] }: ServiceSpec): boolean {
  return clusterIPs.length === 1 && clusterIPs[0] === 'None';
}

/** Reports whether the service has a cluster IP, which may be `None`: true for all types but ExternalName. */
export const needsClusterIP = ({ type }: ServiceSpec): boolean => type !== 'ExternalName';

/** Reports whether the service accepts traffic from outside the cluster. */
export function isExternallyAccessible({ type, externalIPs = [] }: ServiceSpec): boolean {
  return type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && externalIPs.length > 0);
}

/** Reports whether load balancers need a health check port, to find nodes with endpoints. */
export function needsHealthCheck({ type, externalTrafficPolicy }: ServiceSpec): boolean {
  return type === 'LoadBalancer' && externalTrafficPolicy === 'Local';
}

/** Reports whether an address is IPv6. IPv4-mapped IPv6 addresses count as IPv4. */
export function isIPv6(address: string): boolean {
  const ip = parseIPSloppy(address);
  return ip !== undefined && !isIPv4(ip.bytes);
}

export const familyOf = (address: string): IPFamily => (isIPv6(address) ? 'IPv6' : 'IPv4');
export const otherFamily = (family: IPFamily): IPFamily => (family === 'IPv4' ? 'IPv6' : 'IPv4');

export function sameList(a: readonly unknown[] = [], b: readonly unknown[] = []): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}
