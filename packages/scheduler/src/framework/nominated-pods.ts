import type { CycleState } from './cycle-state.ts';
import type { Handle } from './handle.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';
import type { Status } from './status.ts';

/**
 * Filters a node as if the pods that were promised a place there, and are no less important, had it already; and, where that
 * makes a difference and the pod may be there, once more without them: they may never come, and the pod must not need them.
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
