import { Quantity } from '@coxswain/apimachinery/quantity';
import type { AddressRange } from '../addresses/index.ts';
import type { NetworkedPod } from '../pod-network.ts';
import type { JSONObject } from '../records/index.ts';

/** The largest burst that the plug-in `bandwidth` takes: as good as none. */
const unlimitedBurst = 2 ** 32 - 1;

const smallestBandwidth = Quantity.parse('1k');
const largestBandwidth = Quantity.parse('1P');

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
    ...(bandwidth && { bandwidth }),
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

function bandwidthOf(annotations: Readonly<Record<string, string>>): JSONObject | undefined {
  const ingressRate = rateOf(annotations['kubernetes.io/ingress-bandwidth']);
  const egressRate = rateOf(annotations['kubernetes.io/egress-bandwidth']);
  if (ingressRate === undefined && egressRate === undefined) return undefined;
  return {
    ...(ingressRate !== undefined && { ingressRate, ingressBurst: unlimitedBurst }),
    ...(egressRate !== undefined && { egressRate, egressBurst: unlimitedBurst }),
  };
}

/** Bits a second. */
function rateOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    const rate = Quantity.parse(text);
    if (rate.cmp(smallestBandwidth) < 0) throw new Error('resource is unreasonably small (< 1kbit)');
    if (rate.cmp(largestBandwidth) > 0) throw new Error('resource is unreasonably large (> 1Pbit)');
    return rate.value();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`reading pod bandwidth annotations: ${reason}`, { cause: error });
  }
}
