import type { CycleState } from '../../framework/cycle-state.ts';
import type { Victims } from '../../framework/extender.ts';
import type { Handle } from '../../framework/handle.ts';
import type { NodeInfo } from '../../framework/node-info.ts';
import type { PodInfo } from '../../framework/pod-info.ts';
import { Status } from '../../framework/status.ts';
import type { DisruptionBudgets } from './disruption-budgets.ts';
import { byImportance } from './importance.ts';

/** A pod that needs room, with the state of the attempt to schedule it. */
export interface Preemption {
  readonly handle: Pick<Handle, 'runAddPod' | 'runRemovePod' | 'filterWithNominatedPods'>;
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly budgets: DisruptionBudgets;
}

/** No pod on the node has a lower priority. */
const noVictims: Status = Object.freeze(Status.unresolvable('No preemption victims found for incoming pod'));

/**
 * Returns the smallest set of victims on the node that lets the pod fit, highest priority first, or a status when preemption does not help.
 * Works on copies only.
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
  // A pod with affinity to one of its own victims does not fit then. As upstream, that case is not supported, for performance.
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

/** A copy of a node and a cycle state for trials. */
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

  /** Returns why the pod does not fit now; undefined when it fits. */
  rejection(): Status | undefined {
    return this.#handle.filterWithNominatedPods(this.#state, this.#pod, this.#node);
  }

  /** Adds the pods back one by one as long as the preemptor still fits. The others become victims. */
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
