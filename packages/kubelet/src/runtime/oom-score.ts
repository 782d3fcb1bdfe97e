import { podQOS, podRequests } from '@coxswain/api';
import type { Container, Pod } from '@coxswain/api/core/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import { isSidecar } from '../pods/restart-rules.ts';

const guaranteed = -997;
const bestEffort = 1000;
/** The lowest score of a burstable container. It is above that of guaranteed ones, so burstable ones are killed first. */
const leastBurstable = 1000 + guaranteed;

/** The value of the priority class `system-node-critical`. */
const systemNodeCritical = 2_000_001_000;

/**
 * Returns the `oom_score_adj` of a container's processes: when the machine runs out of memory, the kernel kills processes with
 * higher scores first. The more memory a burstable container requests, the lower its score.
 */
export function oomScoreAdjust(pod: Pod, container: Container, memoryCapacityBytes: number): number {
  if (Number(pod.spec?.priority ?? 0) >= systemNodeCritical) return guaranteed;
  const qos = podQOS(pod);
  if (qos === 'Guaranteed') return guaranteed;
  if (qos === 'BestEffort') return bestEffort;
  const shared = sharedRequest(pod);
  const scoreOf = (requestBytes: number): number =>
    1000 - Math.floor((1000 * (requestBytes + shared)) / memoryCapacityBytes);
  const own = scoreOf(memoryRequest(container));
  // A sidecar must not be killed before the containers that it serves.
  const isSidecarOfPod =
    isSidecar(container) && pod.spec?.initContainers?.some(({ name }) => name === container.name) === true;
  const score = isSidecarOfPod
    ? Math.min(own, scoreOf(Math.min(...(pod.spec?.containers ?? []).map(memoryRequest))))
    : own;
  return Math.min(bestEffort - 1, Math.max(leastBurstable, score));
}

const memoryRequest = ({ resources }: Container): number => Quantity.parse(resources?.requests?.memory ?? '0').value();

/** Returns each container's share of the difference between the pod's memory request and the sum of its containers' requests. */
function sharedRequest({ metadata, spec }: Pod): number {
  const ofPod = spec?.resources?.requests?.memory;
  if (ofPod === undefined) return 0;
  const { resources: _, overhead: __, ...containersOnly } = spec!;
  const ofContainers = podRequests({ metadata, spec: containersOnly }).get('memory')?.value() ?? 0;
  const count = containersOnly.containers.length + (containersOnly.initContainers?.length ?? 0);
  return Math.trunc((Quantity.parse(ofPod).value() - ofContainers) / count);
}
