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
  /** Of the most important victim, which is the first. */
  readonly highestPriority: number;
  readonly sumOfPriorities: number;
  /** Of the victims of the highest priority. Later is better. */
  readonly earliestStart: string;

  constructor(nodeName: string, { pods, numPDBViolations }: Victims) {
    this.nodeName = nodeName;
    this.pods = pods;
    this.numPDBViolations = numPDBViolations;
    this.highestPriority = pods[0] ? priorityOf(pods[0]) : 0;
    let sum = 0;
    let earliestStart: string | undefined;
    for (const pod of pods) {
      const priority = priorityOf(pod);
      sum += priority + priorityOffset;
      if (priority !== this.highestPriority) continue;
      const start = startTimeOf(pod);
      if (earliestStart === undefined || start < earliestStart) earliestStart = start;
    }
    this.sumOfPriorities = sum;
    this.earliestStart = earliestStart ?? '';
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
    /** What is not remembered, by index. */
    const refusals = new Map<number, Status>();
    const isWhole = nodes.at(-1)?.row === nodes.length - 1;
    // Of thousands of nodes most may be taken already: to look at each of them would take longer than all else.
    const next = (from: number, to: number): number =>
      isWhole && remembered ? remembered.skipSettled(from, to) : from;
    const look = (from: number, to: number): void => {
      for (let index = next(from, to); index < to; index = next(index + 1, to)) {
        let outcome = remembered?.ofRow(isWhole ? index : nodes[index]!.row);
        if (!outcome) {
          outcome = this.#try(preemption, nodes[index]!);
          if (remembered && (outcome instanceof Candidate || outcome.isRejected))
            remembered.set(nodes[index]!, outcome);
          else if (!(outcome instanceof Candidate)) refusals.set(index, outcome);
        }
        if (!(outcome instanceof Candidate)) continue;
        const list = outcome.numPDBViolations === 0 ? sound : violating;
        if (list.length < wanted) list.push(outcome);
        if (sound.length > 0 && sound.length + violating.length >= wanted) return;
      }
    };
    look(offset, nodes.length);
    if (sound.length === 0 || sound.length + violating.length < wanted) look(0, offset);
    const candidates = violating.length > 0 ? [...sound, ...violating] : sound;
    if (candidates.length > 0) return { candidates, rejected: [] };
    const rejected = nodes.flatMap((node, index) => {
      const status = refusals.get(index) ?? remembered?.ofRow(node.row);
      return status instanceof Status ? { node, status } : [];
    });
    return { candidates, rejected };
  }

  #try(preemption: Preemption, node: NodeInfo): Outcome {
    const victims = selectVictims(preemption, node);
    if (victims instanceof Status) return victims;
    if (victims.pods.length > 0) return new Candidate(node.name, victims);
    return Status.failed(new Error(`expected at least one victim pod on node "${node.name}"`));
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
  let best: Candidate | undefined;
  for (const candidate of candidates) if (!best || isLess(candidate, best)) best = candidate;
  return best;
}

/** Whether the first does less harm. What comes first weighs most. */
function isLess(a: Candidate, b: Candidate): boolean {
  if (a.numPDBViolations !== b.numPDBViolations) return a.numPDBViolations < b.numPDBViolations;
  if (a.highestPriority !== b.highestPriority) return a.highestPriority < b.highestPriority;
  if (a.sumOfPriorities !== b.sumOfPriorities) return a.sumOfPriorities < b.sumOfPriorities;
  if (a.pods.length !== b.pods.length) return a.pods.length < b.pods.length;
  return a.earliestStart > b.earliestStart;
}
