import type { Node, Pod, Service } from '@coxswain/api/core/v1';
import type { Endpoint } from '@coxswain/api/discovery/v1';
import { isPodReady } from '@coxswain/component-helpers';
import { hasHostname, type IPFamily, podAddresses } from '../framework/services/pod-endpoints.ts';

/** Node label with the node's zone. */
export const zoneLabel = 'topology.kubernetes.io/zone';

/** Returns the endpoint for a pod. It has no addresses when the pod has none of the IP family. */
export function podEndpoint(pod: Pod, node: Node | undefined, service: Service, family: IPFamily): Endpoint {
  const serving = isPodReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const { namespace, name, uid } = pod.metadata;
  const nodeName = pod.spec?.nodeName;
  const zone = node?.metadata.labels?.[zoneLabel];
  return {
    addresses: podAddresses(pod, family).sort(),
    // `ready` is false for terminating pods, for clients that read no other condition.
    conditions: { ready: !!service.spec?.publishNotReadyAddresses || (serving && !terminating), serving, terminating },
    ...(hasHostname(pod, service) && { hostname: pod.spec?.hostname ?? '' }),
    targetRef: {
      kind: 'Pod',
      ...(namespace !== undefined && { namespace }),
      ...(name !== undefined && { name }),
      ...(uid !== undefined && { uid }),
    },
    ...(nodeName && { nodeName }),
    ...(zone && { zone }),
  };
}

/** Returns the identity of an endpoint, which does not depend on its conditions. */
export function endpointKey({ addresses, hostname = '', targetRef }: Endpoint): string {
  const { namespace = '', name = '' } = targetRef ?? {};
  const sorted = addresses.length === 1 ? addresses[0] : [...addresses].sort().join(',');
  return `${sorted} ${hostname} ${namespace}/${name}`;
}

/** Whether two endpoints with the same key are equal in the fields that the controllers set, except hints. */
export function isSameEndpoint(a: Endpoint, b: Endpoint): boolean {
  return (
    a.nodeName === b.nodeName &&
    a.zone === b.zone &&
    a.conditions?.ready === b.conditions?.ready &&
    a.conditions?.serving === b.conditions?.serving &&
    a.conditions?.terminating === b.conditions?.terminating &&
    a.targetRef?.uid === b.targetRef?.uid &&
    a.targetRef?.kind === b.targetRef?.kind &&
    a.targetRef?.apiVersion === b.targetRef?.apiVersion &&
    a.targetRef?.fieldPath === b.targetRef?.fieldPath
  );
}

export const isReady = ({ conditions }: Endpoint): boolean => conditions?.ready === true;
