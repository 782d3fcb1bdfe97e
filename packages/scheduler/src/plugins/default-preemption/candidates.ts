import type { Victims } from '../../framework/extender.ts';
import type { NodeInfo } from '../../framework/node-info.ts';
import type { RememberedNodes } from '../../framework/remembered-nodes.ts';
import { Status } from '../../framework/status.ts';
import { priorityOf, startTimeOf } from './importance.ts';
import { type Preemption, selectVictims } from './select-victims.ts';

/** A node that the pod would fit on if these pods were gone. */
export class Candidate implements Victims {
  readonly nodeName: string;
  readonly pods: Victims['pods'];
  readonly numPDBViolations: number;
  /** What choosing it would do. */
  readonly harm: Harm;

  constructor(nodeName: string, { pods, numPDBViolations }: Victims) {
    this.nodeName = nodeName;
    this.pods = pods;
    this.numPDBViolations = numPDBViolations;
    this.harm = harmOf({ pods, numPDBViolations });
  }
}

/** A node where it does not help. */
interface Rejection {
  readonly node: NodeInfo;
  readonly status: Status;
}

/** What came of trying a node; a status says why it does not help. */
export type Outcome = Candidate | Status;

export interface DryRun {
  /** Those that break no budget first. */
  readonly candidates: readonly Candidate[];
  /** Why nodes do not do, where there is no candidate. Nobody asks otherwise. */
  readonly rejected: readonly Rejection[];
}

/** Tries preemption on nodes, from the one at `offset` on, until there are so many candidates. */
export class CandidateFinder {
  /** Nodes of a snapshot come in the order of their rows. What is remembered is not tried again. */
  find(
    preemption: Preemption,
    nodes: readonly NodeInfo[],
    offset: number,
    wanted: number,
    remembered?: RememberedNodes<Outcome>,
  ): DryRun {
    const sound: Candidate[] = [];
    const violating: Candidate[] = [];
    /** What was said of the first nodes, in the order in which they are looked at. */
    const refusals: Status[] = [];
    let hasCandidate = false;
    const isWhole = nodes.at(-1)?.row === nodes.length - 1;
    for (let i = 0; i < nodes.length; i++) {
      const index = turned(offset + i, nodes.length);
      // Of thousands of nodes most may be taken already: to look at each of them would take longer than all else.
      let outcome = remembered?.ofRow(isWhole ? index : nodes[index]!.row);
      if (!outcome) {
        const node = nodes[index]!;
        outcome = this.#try(preemption, node);
        if (outcome instanceof Candidate || outcome.isRejected) remembered?.set(node, outcome);
      }
      if (!(outcome instanceof Candidate)) {
        if (!hasCandidate) refusals.push(outcome);
        continue;
      }
      hasCandidate = true;
      const list = outcome.numPDBViolations === 0 ? sound : violating;
      if (list.length < wanted) list.push(outcome);
      if (sound.length > 0 && sound.length + violating.length >= wanted) break;
    }
    const rejected = hasCandidate
      ? []
      : refusals.map((status, i) => ({ node: nodes[turned(offset + i, nodes.length)]!, status }));
    return { candidates: violating.length > 0 ? [...sound, ...violating] : sound, rejected };
  }

  #try(preemption: Preemption, node: NodeInfo): Outcome {
    const victims = selectVictims(preemption, node);
    if (victims instanceof Status) return victims;
    if (victims.pods.length > 0) return new Candidate(node.name, victims);
    return Status.failed(new Error(`expected at least one victim pod on node "${node.name}"`));
  }
}

/** An index that has run past the end goes on at the beginning. */
const turned = (index: number, length: number): number => (index < length ? index : index - length);

/** Added to every priority, so that a victim more always weighs more, however unimportant it is. */
const priorityOffset = 2 ** 31;

/**
 * The candidate that does the least harm: that breaks the fewest budgets; whose most important victim is the least important;
 * with the lowest sum of priorities; with the fewest victims; whose most important victims have run the shortest time. The
 * first of those that are equal in all of that.
 */
export function bestCandidate(candidates: Iterable<Candidate>): Candidate | undefined {
  let best: Candidate | undefined;
  for (const candidate of candidates) if (!best || isLess(candidate.harm, best.harm)) best = candidate;
  return best;
}

interface Harm {
  readonly violations: number;
  readonly highestPriority: number;
  readonly sum: number;
  readonly victims: number;
  /** Of the victims of the highest priority. Later is better. */
  readonly earliestStart: string;
}

function harmOf({ pods, numPDBViolations }: Victims): Harm {
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
