import type { Pod } from '@coxswain/api/core/v1';
import type { ContainerLogs } from '../logs/container-logs.ts';
import type { KubeRuntime } from '../runtime/kube-runtime.ts';
import type { SessionHost } from '../sessions/session-host.ts';

/** What the server shows of a kubelet. */
export interface KubeletHost extends SessionHost {
  readonly nodeName: string;
  readonly runtime: Pick<KubeRuntime, 'podStatus' | 'listPods' | 'stats' | 'service'>;
  readonly logs: ContainerLogs;
  /** All pods of the node, each with the latest that the kubelet says of it. */
  pods(): readonly Pod[];
}

/** Undefined when the node has no such pod. */
export const findPod = (host: KubeletHost, namespace: string, name: string): Pod | undefined =>
  host.pods().find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
