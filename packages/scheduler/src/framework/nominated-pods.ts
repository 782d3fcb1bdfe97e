import type { CycleState } from './cycle-state.ts';
import type { Handle } from './handle.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';
import type { Status } from './status.ts';

/**
 * Filters a node as if its nominated pods of the same or higher priority were already on it. If there are such pods and the pod fits,
 * filters once more without them: they may never arrive, so the pod must not depend on them.
 */
export function filterWithNominatedPods(
  handle: Handle,
  state: CycleState,
  pod: PodInfo,
  node: NodeInfo,
): Status | undefined {
  const nominated = handle.nominator.nominatedPods(node.name);
  if (nominated.length === 0) return handle.runFilters(state, pod, node);
  const { uid } = pod.pod.metadata;
  const others = nominated.filter((other) => other.priority >= pod.priority && other.pod.metadata.uid !== uid);
  if (others.length === 0) return handle.runFilters(state, pod, node);
  const trial = node.clone();
  const trialState = state.clone();
  for (const other of others) {
    trial.addPod(other);
    const status = handle.runAddPod(trialState, pod, other, trial);
    if (status) return status;
  }
  return handle.runFilters(trialState, pod, trial) ?? handle.runFilters(state, pod, node);
}
