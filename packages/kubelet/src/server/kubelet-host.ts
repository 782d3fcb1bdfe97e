import type { Pod } from '@coxswain/api/core/v1';
import type { Clock } from '@coxswain/client';
import type { ContainerLogs } from '../machine/container-logs.ts';
import type { KubeRuntime } from '../runtime/kube-runtime.ts';

/** What the server shows of a kubelet. */
export interface KubeletHost {
  readonly nodeName: string;
  readonly runtime: Pick<KubeRuntime, 'podStatus' | 'listPods' | 'stats' | 'service'>;
  readonly logs: ContainerLogs;
  readonly clock: Clock;
  /** All pods of the node, each with the latest that the kubelet says of it. */
  pods(): readonly Pod[];
}

/** Undefined when the node has no such pod. */
export const findPod = (host: KubeletHost, namespace: string, name: string): Pod | undefined =>
  host.pods().find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
