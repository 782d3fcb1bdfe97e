import { timeFromDate } from '@coxswain/apimachinery/time';
import type { KubeletHost } from './kubelet-host.ts';
import { podUsages, sumOf, type Usage } from './pod-usage.ts';

/** What `/stats/summary` tells: the node and its pods, with what they use. */
export async function statsSummary(host: KubeletHost): Promise<object> {
  const time = timeFromDate(new Date(host.clock.now()));
  const usage = ({ cpuNanoCores, cpuCoreNanoSeconds, memoryBytes }: Usage): object => ({
    cpu: { time, usageNanoCores: cpuNanoCores, usageCoreNanoSeconds: cpuCoreNanoSeconds },
    memory: { time, usageBytes: memoryBytes, workingSetBytes: memoryBytes },
  });
  const pods = await podUsages(host);
  return {
    node: { nodeName: host.nodeName, ...usage(sumOf(pods)) },
    pods: pods.map(({ pod, containers, ...total }) => ({
      podRef: { name: pod.metadata.name, namespace: pod.metadata.namespace, uid: pod.metadata.uid },
      startTime: pod.status?.startTime ?? null,
      containers: containers.map(({ name, startedAtMs, ...used }) => ({
        name,
        startTime: timeFromDate(new Date(startedAtMs)),
        ...usage(used),
      })),
      ...usage(total),
    })),
  };
}
