import type { Container, Pod } from '@coxswain/api/core/v1';
import type { PodSandboxConfig, PortMapping, Protocol } from '@coxswain/cri';
import type { Init } from '@coxswain/grpc/protobuf';
import { sandboxLabels } from './labels.ts';
import { overheadLinuxResources, sandboxLinuxResources } from './linux-resources.ts';
import { podHostname } from './pod-hostname.ts';
import type { PodSetup } from './pod-setup.ts';
import type { RuntimeSettings } from './runtime-settings.ts';
import { sandboxSecurityContext } from './security-context.ts';

/**
 * Returns the configuration of a pod's sandbox for the runtime. `attempt` is the number of sandboxes that the pod had before. Throws if the
 * pod's hostname is too long.
 */
export function sandboxConfig(
  pod: Pod,
  attempt: number,
  setup: PodSetup & { readonly supplementalGroups: readonly number[] },
  settings: RuntimeSettings,
): Init<PodSandboxConfig> {
  const { name = '', namespace = '', uid = '' } = pod.metadata;
  const { hostNetwork, containers, securityContext } = pod.spec ?? {};
  const sysctls = (securityContext?.sysctls ?? []).map(({ name, value }) => [name, value] as const);
  return {
    metadata: { name, namespace, uid, attempt },
    labels: sandboxLabels(pod),
    annotations: pod.metadata.annotations ?? {},
    ...(!hostNetwork && { hostname: podHostname(pod, setup.clusterDomain) }),
    logDirectory: setup.logDirectory,
    ...(setup.dns && { dnsConfig: setup.dns }),
    portMappings: (containers ?? []).flatMap(portMappings),
    linux: {
      cgroupParent: setup.cgroupParent,
      securityContext: sandboxSecurityContext(pod, setup.supplementalGroups),
      sysctls: Object.fromEntries(sysctls),
      resources: sandboxLinuxResources(pod, settings),
      overhead: overheadLinuxResources(pod, settings),
    },
  };
}

const portMappings = ({ ports }: Container): Init<PortMapping>[] =>
  (ports ?? []).map(({ protocol, containerPort, hostPort = 0, hostIP = '' }) => ({
    protocol: (protocol ?? 'TCP') as Protocol,
    containerPort,
    hostPort,
    hostIp: hostIP,
  }));
