import { getWarningsForCIDR, getWarningsForIP, ownEntry, Path } from '@coxswain/apimachinery';
import type { Service } from '../../../generated/core/v1.ts';
import { specOf } from './service-facts.ts';
import { topologyHintsAnnotation, topologyModeAnnotation } from './validation.ts';

const path = Path.of('spec');

/** Returns warnings about deprecated or ignored fields and non-standard notations. */
export function warningsForService(service: Service): string[] {
  const spec = specOf(service);
  const { type, clusterIP, clusterIPs = [], externalIPs = [], loadBalancerIP = '' } = spec;
  const warnings: string[] = [];
  const warn = (condition: boolean, warning: string): void => {
    if (condition) warnings.push(warning);
  };
  const inspect = (field: string, values: readonly string[], check: typeof getWarningsForIP): void => {
    for (const [i, value] of values.entries()) warnings.push(...check(path.child(field).index(i), value));
  };
  const isHeadless = type === 'ClusterIP' && clusterIP === 'None';
  const isExternalName = type === 'ExternalName';
  warn(
    ownEntry(service.metadata.annotations, topologyHintsAnnotation) !== undefined,
    `annotation ${topologyHintsAnnotation} is deprecated, please use ${topologyModeAnnotation} instead`,
  );
  if (clusterIP && clusterIP !== 'None') inspect('clusterIPs', clusterIPs, getWarningsForIP);
  if (isHeadless) {
    warn(loadBalancerIP !== '', 'spec.loadBalancerIP is ignored for headless services');
    warn(externalIPs.length > 0, 'spec.externalIPs is ignored for headless services');
    warn(spec.sessionAffinity !== 'None', 'spec.SessionAffinity is ignored for headless services');
  }
  inspect('externalIPs', externalIPs, getWarningsForIP);
  warn(
    externalIPs.length > 0 && !isHeadless && !isExternalName,
    'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
  );
  if (loadBalancerIP !== '') warnings.push(...getWarningsForIP(path.child('loadBalancerIP'), loadBalancerIP));
  inspect('loadBalancerSourceRanges', spec.loadBalancerSourceRanges ?? [], getWarningsForCIDR);
  warn(isExternalName && externalIPs.length > 0, 'spec.externalIPs is ignored when spec.type is "ExternalName"');
  warn(!isExternalName && !!spec.externalName, 'spec.externalName is ignored when spec.type is not "ExternalName"');
  warn(
    spec.trafficDistribution === 'PreferClose',
    'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
  );
  return warnings;
}

/** Returns warnings about the addresses of a load balancer in status. */
export function warningsForServiceStatus({ status }: Service): string[] {
  return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }, i) =>
    ip ? getWarningsForIP(Path.of('status', 'loadBalancer', 'ingress').index(i), ip) : [],
  );
}
