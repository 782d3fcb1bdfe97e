import type { CycleState } from '../../framework/cycle-state.ts';
import type { Victims } from '../../framework/extender.ts';
import type { Handle } from '../../framework/handle.ts';
import type { NodeInfo } from '../../framework/node-info.ts';
import type { PodInfo } from '../../framework/pod-info.ts';
import { Status } from '../../framework/status.ts';
import type { DisruptionBudgets } from './disruption-budgets.ts';
import { byImportance } from './importance.ts';

/** A pod that needs room, and what is known of the attempt to schedule it. */
export interface Preemption {
  readonly handle: Pick<Handle, 'runAddPod' | 'runRemovePod' | 'filterWithNominatedPods'>;
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly budgets: DisruptionBudgets;
}

/** Nobody on the node matters less than the pod. */
const noVictims: Status = Object.freeze(Status.unresolvable('No preemption victims found for incoming pod'));

/**
 * The fewest pods that have to leave the node for the pod to fit there, the most important first; or why that does not help.
 * Nothing is changed: it is tried on copies.
 */
export function selectVictims(preemption: Preemption, node: NodeInfo): Victims | Status {
  const { priority } = preemption.pod;
  const potential = node.pods.filter((info) => info.priority < priority);
  if (potential.length === 0) return noVictims;
  const trial = new Trial(preemption, node);
  for (const info of potential) {
    const failed = trial.remove(info);
    if (failed) return failed;
  }
  // A pod that wants to be near one of its own victims finds no place: that is not worth another look.
  const rejected = trial.rejection();
  if (rejected) return rejected;
  if (potential.length > 1) potential.sort((a, b) => byImportance(a.pod, b.pod));
  const { violating, others } = preemption.budgets.split(potential);
  const victims: PodInfo['pod'][] = [];
  const failed = trial.spare(violating, victims);
  if (failed) return failed;
  const numPDBViolations = victims.length;
  const alsoFailed = trial.spare(others, victims);
  if (alsoFailed) return alsoFailed;
  if (numPDBViolations > 0 && numPDBViolations < victims.length) victims.sort(byImportance);
  return { pods: victims, numPDBViolations };
}

/** A node and a state to try things with. */
class Trial {
  readonly #handle: Preemption['handle'];
  readonly #pod: PodInfo;
  readonly #node: NodeInfo;
  readonly #state: CycleState;

  constructor({ handle, pod, state }: Preemption, node: NodeInfo) {
    this.#handle = handle;
    this.#pod = pod;
    this.#node = node.clone();
    this.#state = state.clone();
  }

  remove(info: PodInfo): Status | undefined {
    this.#node.removePod(info.pod);
    return this.#handle.runRemovePod(this.#state, this.#pod, info, this.#node);
  }

  /** Why the pod does not fit now, if it does not. */
  rejection(): Status | undefined {
    return this.#handle.filterWithNominatedPods(this.#state, this.#pod, this.#node);
  }

  /** Puts back one after the other, as long as the pod fits beside them; the others are added to the victims. */
  spare(infos: readonly PodInfo[], victims: PodInfo['pod'][]): Status | undefined {
    for (const info of infos) {
      this.#node.addPod(info);
      const failed = this.#handle.runAddPod(this.#state, this.#pod, info, this.#node);
      if (failed) return failed;
      if (!this.rejection()) continue;
      const alsoFailed = this.remove(info);
      if (alsoFailed) return alsoFailed;
      victims.push(info.pod);
    }
    return undefined;
  }
}
