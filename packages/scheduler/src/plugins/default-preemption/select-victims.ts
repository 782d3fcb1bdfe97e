import type { CycleState } from '../../framework/cycle-state.ts';
import type { Victims } from '../../framework/extender.ts';
import type { Handle } from '../../framework/handle.ts';
import type { NodeInfo } from '../../framework/node-info.ts';
import type { PodInfo } from '../../framework/pod-info.ts';
import { Status } from '../../framework/status.ts';
import type { DisruptionBudgets } from './disruption-budgets.ts';
import { byImportance, priorityOf } from './importance.ts';

/** A pod that needs room, and what is known of the attempt to schedule it. */
export interface Preemption {
  readonly handle: Pick<Handle, 'runAddPod' | 'runRemovePod' | 'filterWithNominatedPods'>;
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly budgets: DisruptionBudgets;
}

/** Nobody on the node matters less than the pod. */
export const noVictims: Status = Object.freeze(Status.unresolvable('No preemption victims found for incoming pod'));

/**
 * The fewest pods that have to leave the node for the pod to fit there, the most important first; or why that does not help.
 * Nothing is changed: it is tried on copies.
 */
export function selectVictims({ handle, state, pod, budgets }: Preemption, node: NodeInfo): Victims | Status {
  const priority = priorityOf(pod.pod);
  const potential = node.pods.filter((info) => priorityOf(info.pod) < priority);
  if (potential.length === 0) return noVictims;
  const trial = node.clone();
  const trialState = state.clone();
  const remove = (info: PodInfo): Status | undefined => {
    trial.removePod(info.pod);
    return handle.runRemovePod(trialState, pod, info, trial);
  };
  const add = (info: PodInfo): Status | undefined => {
    trial.addPod(info);
    return handle.runAddPod(trialState, pod, info, trial);
  };
  for (const info of potential) {
    const failed = remove(info);
    if (failed) return failed;
  }
  // A pod that wants to be near one of its own victims finds no place: that is not worth another look.
  const rejected = handle.filterWithNominatedPods(trialState, pod, trial);
  if (rejected) return rejected;

  const victims: PodInfo[] = [];
  // Puts back one after the other, the most important first, as long as the pod fits beside them.
  const spare = (infos: readonly PodInfo[]): Status | undefined => {
    for (const info of infos) {
      const failed = add(info);
      if (failed) return failed;
      if (!handle.filterWithNominatedPods(trialState, pod, trial)) continue;
      const alsoFailed = remove(info);
      if (alsoFailed) return alsoFailed;
      victims.push(info);
    }
    return undefined;
  };
  potential.sort((a, b) => byImportance(a.pod, b.pod));
  const { violating, others } = budgets.split(potential);
  const failed = spare(violating);
  const numPDBViolations = victims.length;
  const alsoFailed = failed ?? spare(others);
  if (alsoFailed) return alsoFailed;
  const pods = victims.map((info) => info.pod);
  if (numPDBViolations > 0 && numPDBViolations < pods.length) pods.sort(byImportance);
  return { pods, numPDBViolations };
}
