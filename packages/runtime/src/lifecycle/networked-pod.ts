import type { Sandbox } from '../model/index.ts';
import type { NetworkedPod } from '../network/pod-network.ts';

/** What the network must know of a sandbox. */
export function networkedPod({ id, metadata, config, cgroupParent }: Sandbox, netns: string): NetworkedPod {
  const { name, namespace, uid } = metadata;
  const portMappings = config.portMappings
    .filter(({ hostPort }) => hostPort > 0)
    .map(({ protocol, containerPort, hostPort, hostIp }) => ({ protocol, containerPort, hostPort, hostIP: hostIp }));
  return {
    id,
    name,
    namespace,
    uid,
    netns,
    portMappings,
    annotations: config.annotations,
    ...(config.dnsConfig && { dns: config.dnsConfig }),
    ...(cgroupParent !== '' && { cgroupParent }),
  };
}
