import type { ErrorList } from '@coxswain/apimachinery';
import type { Service, ServiceSpec } from '../../../generated/core/v1.ts';
import type { StrategyContext } from '../../../strategy/strategy.ts';
import { initIPFamilyFields } from './ip-families.ts';
import { needsClusterIP, needsHealthCheck, sameList, specOf } from './service-facts.ts';

/**
 * Prepares a service before addresses and node ports are allocated: fields that a client omitted get their allocated
 * values, clusterIP and clusterIPs are made consistent, and the IP families are determined.
 */
export function beginService(service: Service, old: Service | undefined, context: StrategyContext): ErrorList {
  service.spec ??= {};
  const { spec } = service;
  if (old) {
    patchAllocatedValues(spec, specOf(old));
    followClusterIP(spec, specOf(old));
  } else if (spec.clusterIP && !spec.clusterIPs?.length) {
    spec.clusterIPs = [spec.clusterIP];
  }
  return initIPFamilyFields(service, old, context);
}

/** Restores allocated values, so that clients can apply the same manifest again without them. */
function patchAllocatedValues(spec: ServiceSpec, old: ServiceSpec): void {
  if (needsClusterIP(spec) && needsClusterIP(old)) {
    spec.clusterIP ||= old.clusterIP;
    if (!spec.clusterIPs?.length && old.clusterIPs?.length) spec.clusterIPs = old.clusterIPs;
  }
  if (allocatesNodePorts(spec) && allocatesNodePorts(old)) {
    const wanted = new Set((spec.ports ?? []).map((port) => port.nodePort));
    const byName = new Map((old.ports ?? []).map((port) => [port.name ?? '', port.nodePort]));
    for (const port of spec.ports ?? []) {
      const nodePort = byName.get(port.name ?? '');
      if (!port.nodePort && nodePort && !wanted.has(nodePort)) port.nodePort = nodePort;
    }
  }
  if (needsHealthCheck(spec) && needsHealthCheck(old)) spec.healthCheckNodePort ||= old.healthCheckNodePort;
}

function allocatesNodePorts({ type, allocateLoadBalancerNodePorts = true }: ServiceSpec): boolean {
  return type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts);
}

/** Updates clusterIPs when a client changes clusterIP only. */
function followClusterIP(spec: ServiceSpec, old: ServiceSpec): void {
  const { clusterIP = '' } = spec;
  const { clusterIP: before = '' } = old;
  if (old.clusterIPs?.length && !spec.clusterIPs?.length && clusterIP === before) spec.clusterIPs = old.clusterIPs;
  if (clusterIP !== before && sameList(spec.clusterIPs, old.clusterIPs))
    spec.clusterIPs = clusterIP === '' ? undefined : [clusterIP];
}
