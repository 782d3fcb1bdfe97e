import type { Victims } from '../../framework/extender.ts';
import type { NodeInfo } from '../../framework/node-info.ts';
import { Status } from '../../framework/status.ts';
import { priorityOf, startTimeOf } from './importance.ts';
import { noVictims, type Preemption, selectVictims } from './select-victims.ts';

/** A node that the pod would fit on if these pods were gone. */
export interface Candidate extends Victims {
  readonly nodeName: string;
}

export interface DryRun {
  /** Those that break no budget first. */
  readonly candidates: readonly Candidate[];
  /** Why the other nodes that were tried do not do. */
  readonly rejected: readonly { readonly node: NodeInfo; readonly status: Status }[];
}

/** Tries preemption on nodes, from the one at `offset` on, until there are so many candidates. */
export class CandidateFinder {
  /** The lowest priority of a pod on a node. A snapshot's nodes are replaced when they change. */
  readonly #lowest = new WeakMap<NodeInfo, number>();

  find(preemption: Preemption, nodes: readonly NodeInfo[], offset: number, wanted: number): DryRun {
    const sound: Candidate[] = [];
    const violating: Candidate[] = [];
    const rejected: { node: NodeInfo; status: Status }[] = [];
    const priority = priorityOf(preemption.pod.pod);
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[(offset + i) % nodes.length]!;
      const victims = this.#lowestPriority(node) < priority ? selectVictims(preemption, node) : noVictims;
      if (victims instanceof Status) {
        rejected.push({ node, status: victims });
        continue;
      }
      if (victims.pods.length === 0) {
        const status = Status.failed(new Error(`expected at least one victim pod on node "${node.name}"`));
        rejected.push({ node, status });
        continue;
      }
      const list = victims.numPDBViolations === 0 ? sound : violating;
      if (list.length < wanted)
        list.push({ nodeName: node.name, pods: victims.pods, numPDBViolations: victims.numPDBViolations });
      if (sound.length > 0 && sound.length + violating.length >= wanted) break;
    }
    return { candidates: [...sound, ...violating], rejected };
  }

  #lowestPriority(node: NodeInfo): number {
    let lowest = this.#lowest.get(node);
    if (lowest === undefined) {
      lowest = Number.POSITIVE_INFINITY;
      for (const { pod } of node.pods) lowest = Math.min(lowest, priorityOf(pod));
      this.#lowest.set(node, lowest);
    }
    return lowest;
  }
}

/** Added to every priority, so that a victim more always weighs more, however unimportant it is. */
const priorityOffset = 2 ** 31;

/**
 * The candidate that does the least harm: that breaks the fewest budgets; whose most important victim is the least important;
 * with the lowest sum of priorities; with the fewest victims; whose most important victims have run the shortest time. The
 * first of those that are equal in all of that.
 */
export function bestCandidate(candidates: Iterable<Candidate>): Candidate | undefined {
  let best: { readonly candidate: Candidate; readonly harm: Harm } | undefined;
  for (const candidate of candidates) {
    const harm = harmOf(candidate);
    if (!best || isLess(harm, best.harm)) best = { candidate, harm };
  }
  return best?.candidate;
}

interface Harm {
  readonly violations: number;
  readonly highestPriority: number;
  readonly sum: number;
  readonly victims: number;
  /** Of the victims of the highest priority. Later is better. */
  readonly earliestStart: string;
}

function harmOf({ pods, numPDBViolations }: Candidate): Harm {
  const highestPriority = pods[0] ? priorityOf(pods[0]) : 0;
  let sum = 0;
  let earliestStart: string | undefined;
  for (const pod of pods) {
    const priority = priorityOf(pod);
    sum += priority + priorityOffset;
    if (priority !== highestPriority) continue;
    const start = startTimeOf(pod);
    if (earliestStart === undefined || start < earliestStart) earliestStart = start;
  }
  return {
    violations: numPDBViolations,
    highestPriority,
    sum,
    victims: pods.length,
    earliestStart: earliestStart ?? '',
  };
}

/** What comes first weighs most. */
function isLess(a: Harm, b: Harm): boolean {
  if (a.violations !== b.violations) return a.violations < b.violations;
  if (a.highestPriority !== b.highestPriority) return a.highestPriority < b.highestPriority;
  if (a.sum !== b.sum) return a.sum < b.sum;
  if (a.victims !== b.victims) return a.victims < b.victims;
  return a.earliestStart > b.earliestStart;
}
