import type { Pod } from '@coxswain/api/core/v1';
import type { ContainerLogs } from '../logs/container-logs.ts';
import type { ProbeMetrics } from '../probes/probe-metrics.ts';
import type { KubeRuntime } from '../runtime/kube-runtime.ts';
import type { SessionHost } from '../sessions/session-host.ts';
import type { StatsProvider } from '../stats/stats-provider.ts';

/** What the server shows of a kubelet. */
export interface KubeletHost extends SessionHost {
  readonly nodeName: string;
  readonly runtime: Pick<KubeRuntime, 'listPods' | 'service'>;
  readonly logs: ContainerLogs;
  readonly stats: StatsProvider;
  /** Undefined if probes are not counted. */
  readonly probeMetrics?: Pick<ProbeMetrics, 'families'> | undefined;
  /** All pods of the node, each with the latest that the kubelet says of it. */
  pods(): readonly Pod[];
}

/** Undefined when the node has no such pod. */
export const findPod = (host: KubeletHost, namespace: string, name: string): Pod | undefined =>
  host.pods().find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
