import type { AddressRange } from '../addresses/index.ts';
import { type Bandwidth, bandwidthOf } from '../bandwidth/bandwidth.ts';
import type { NetworkedPod } from '../pod-network.ts';
import type { JSONObject } from '../records/index.ts';

/** The largest burst that the plug-in `bandwidth` takes: as good as none. */
const unlimitedBurst = 2 ** 32 - 1;

/**
 * What plug-ins may need to know of a pod, by capability. Each plug-in gets those that it declares. The names are those of the
 * conventions of CNI, and containerd's for the annotations.
 */
export function capabilityArguments(pod: NetworkedPod, ranges: readonly AddressRange[]): JSONObject {
  const portMappings = pod.portMappings
    .filter(({ hostPort }) => hostPort > 0)
    .map(({ hostPort, containerPort, protocol, hostIP }) => ({
      hostPort,
      containerPort,
      protocol: protocol.toLowerCase(),
      ...(hostIP !== '' && { hostIP }),
    }));
  const bandwidth = bandwidthOf(pod.annotations);
  const { dns } = pod;
  return {
    'io.kubernetes.cri.pod-annotations': pod.annotations,
    ...(portMappings.length > 0 && { portMappings }),
    ...(bandwidth && { bandwidth: withBursts(bandwidth) }),
    ...(dns && { dns: { servers: dns.servers, searches: dns.searches, options: dns.options } }),
    ...(ranges.length > 0 && { ipRanges: ranges.map((range) => [{ subnet: String(range) }]) }),
    ...(pod.cgroupParent && { cgroupPath: pod.cgroupParent }),
  };
}

/** CNI_ARGS of a pod. */
export const pluginArguments = ({ id, name, namespace, uid }: NetworkedPod): string =>
  [
    'IgnoreUnknown=1',
    `K8S_POD_NAMESPACE=${namespace}`,
    `K8S_POD_NAME=${name}`,
    `K8S_POD_INFRA_CONTAINER_ID=${id}`,
    `K8S_POD_UID=${uid}`,
  ].join(';');

const withBursts = ({ ingressRate, egressRate }: Bandwidth): JSONObject => ({
  ...(ingressRate !== undefined && { ingressRate, ingressBurst: unlimitedBurst }),
  ...(egressRate !== undefined && { egressRate, egressBurst: unlimitedBurst }),
});
