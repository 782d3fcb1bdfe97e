import type { Victims } from '../../framework/extender.ts';
import type { NodeInfo } from '../../framework/node-info.ts';
import type { RememberedNodes } from '../../framework/remembered-nodes.ts';
import { Status } from '../../framework/status.ts';
import { priorityOf, startTimeOf } from './importance.ts';
import { type Preemption, selectVictims } from './select-victims.ts';

/** A node on which the pod would fit without these victims. */
export class Candidate implements Victims {
  readonly nodeName: string;
  readonly pods: Victims['pods'];
  readonly numPDBViolations: number;
  /** The priority of the first victim, which has the highest. */
  readonly highestPriority: number;
  readonly sumOfPriorities: number;
  /** The earliest start time of the victims with the highest priority. Later is better. */
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

/** A node on which preemption does not help. */
interface Rejection {
  readonly node: NodeInfo;
  readonly status: Status;
}

/** The result of the dry run for a node; a status is the reason why preemption does not help. */
export type Outcome = Candidate | Status;

export interface DryRun {
  /** Candidates without PDB violations come first. */
  readonly candidates: readonly Candidate[];
  /** The rejections; only filled when there are no candidates. */
  readonly rejected: readonly Rejection[];
}

/** Runs preemption dry runs on nodes until there are enough candidates. */
export class CandidateFinder {
  /**
   * Tries the nodes from `offset` on, cyclically, until there are `wanted` candidates and one of them violates no budget. Nodes must be in
   * row order of the snapshot. Results in `remembered` are reused.
   */
  find(
    preemption: Preemption,
    nodes: readonly NodeInfo[],
    offset: number,
    wanted: number,
    remembered?: RememberedNodes<Outcome>,
  ): DryRun {
    const sound: Candidate[] = [];
    const violating: Candidate[] = [];
    /** By index: failures that are not cached. */
    const refusals = new Map<number, Status>();
    const isWhole = nodes.at(-1)?.row === nodes.length - 1;
    // Most of thousands of nodes may be settled already. Skipping them one by one would take longer than everything else.
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

/** Added to every priority, which makes it non-negative, so that an additional victim always increases the sum. */
const priorityOffset = 2 ** 31;

/**
 * Returns the candidate with the least impact, by these criteria in order: fewest PDB violations, lowest highest victim priority, lowest
 * sum of priorities, fewest victims, latest start of the highest-priority victims. Among equals the first is returned.
 */
export function bestCandidate(candidates: Iterable<Candidate>): Candidate | undefined {
  let best: Candidate | undefined;
  for (const candidate of candidates) if (!best || isLess(candidate, best)) best = candidate;
  return best;
}

/** Whether `a` has less impact than `b`. Earlier criteria take precedence. */
function isLess(a: Candidate, b: Candidate): boolean {
  if (a.numPDBViolations !== b.numPDBViolations) return a.numPDBViolations < b.numPDBViolations;
  if (a.highestPriority !== b.highestPriority) return a.highestPriority < b.highestPriority;
  if (a.sumOfPriorities !== b.sumOfPriorities) return a.sumOfPriorities < b.sumOfPriorities;
  if (a.pods.length !== b.pods.length) return a.pods.length < b.pods.length;
  return a.earliestStart > b.earliestStart;
}
