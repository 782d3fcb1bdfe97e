import type { CycleState } from '../framework/cycle-state.ts';
import type { Extender } from '../framework/extender.ts';
import { extenderName, FitError } from '../framework/fit-error.ts';
import type { NodeInfo } from '../framework/node-info.ts';
import { NodeToStatus } from '../framework/node-to-status.ts';
import type { PodInfo } from '../framework/pod-info.ts';
import type { Framework } from '../framework/runtime.ts';
import { SignatureCache } from '../framework/signature-cache.ts';
import type { Snapshot } from '../framework/snapshot.ts';
import { Status } from '../framework/status.ts';
import { FilterAnswers, fits } from './filter-answers.ts';

/**
 * Clusters with fewer nodes are searched completely; in larger ones the search continues until at least this many feasible nodes are found.
 */
const minFeasibleNodes = 100;
const minPercentage = 5;

/**
 * Returns how many feasible nodes are enough to choose from: filtering all nodes of a large cluster for every pod would be slow. With
 * percentage 0 it is about half of the nodes in a small cluster, and a decreasing share in larger ones, down to 5 %.
 */
export function numFeasibleNodesToFind(percentage: number, numAllNodes: number): number {
  if (numAllNodes < minFeasibleNodes) return numAllNodes;
  const share = percentage || Math.max(50 - Math.trunc(numAllNodes / 125), minPercentage);
  return Math.max(Math.trunc((numAllNodes * share) / 100), minFeasibleNodes);
}

export interface NodeFinderOptions {
  readonly extenders: readonly Extender[];
  /** The default for profiles without their own; 0: adaptive. */
  readonly percentageOfNodesToScore: number;
}

/** An attempt to schedule a pod. */
export interface Attempt {
  readonly framework: Framework;
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly snapshot: Snapshot;
  readonly signal: AbortSignal;
}

export interface FeasibleNodes {
  readonly nodes: readonly NodeInfo[];
  /** The number of nodes evaluated. */
  readonly evaluated: number;
}

/** Finds feasible nodes for a pod. The search starts where the last one ended, so that all nodes are considered equally. */
export class NodeFinder {
  readonly #options: NodeFinderOptions;
  /** The cached filter results of all profiles. */
  readonly #answers = new SignatureCache(() => new FilterAnswers());
  #start = 0;

  constructor(options: NodeFinderOptions) {
    this.#options = options;
  }

  /** Returns at least one node, or a FitError, or an error status. */
  async find(attempt: Attempt): Promise<FeasibleNodes | FitError | Status> {
    const { framework, state, pod, snapshot } = attempt;
    const statuses = new NodeToStatus(snapshot);
    const numAllNodes = snapshot.nodes.length;
    const { timer } = framework;
    const preFilter = () => framework.runPreFilter(state, pod);
    const { status, nodeNames, plugins } = timer.time('PreFilter', preFilter, (outcome) => outcome.status);
    if (status) {
      if (!status.isRejected) return status;
      statuses.absentStatus = status;
      return new FitError(numAllNodes, statuses, { preFilter: status, plugins });
    }
    const nominated = await this.#nominatedNode(attempt);
    if (nominated) return { nodes: [nominated], evaluated: 1 };
    let nodes = snapshot.nodes;
    if (nodeNames) {
      nodes = [...nodeNames].flatMap((name) => snapshot.get(name) ?? []);
      const names = [...plugins].sort().join(' ');
      statuses.absentStatus = Status.unresolvable(`node(s) didn't satisfy plugin(s) [${names}]`);
    }
    const passing = timer.time('Filter', () => {
      const answers = this.#recall(attempt);
      if (!nodeNames && answers && this.#areAllRejected(attempt, answers)) return answers;
      return this.#passFilters(attempt, nodes, statuses, answers);
    });
    // All nodes were evaluated, so the next search may start at the same node.
    if (passing instanceof FilterAnswers) return new FitError(numAllNodes, passing, { plugins });
    const evaluated = statuses.size + (passing instanceof Status ? 0 : passing.length);
    this.#start = (this.#start + evaluated) % numAllNodes;
    if (passing instanceof Status) return passing;
    const feasible = await this.#passExtenders(attempt, passing, statuses);
    if (feasible instanceof Status) return feasible;
    if (feasible.length > 0) return { nodes: feasible, evaluated };
    // It is unknown which events would change the extender's decision.
    const byExtender = passing.length > 0 ? [extenderName] : [];
    return new FitError(numAllNodes, statuses, { plugins: new Set([...plugins, ...byExtender]) });
  }

  /** Returns the node that the pod is nominated to, if it is feasible: other pods were preempted there, so it is probably the only one. */
  async #nominatedNode(attempt: Attempt): Promise<NodeInfo | undefined> {
    const { framework, pod, snapshot } = attempt;
    const name = pod.pod.status?.nominatedNodeName;
    if (!name) return undefined;
    const node = snapshot.get(name);
    if (!node) {
      framework.logger.info('Nominated node is not known', { pod: pod.key, node: name });
      return undefined;
    }
    const statuses = new NodeToStatus(snapshot);
    const passing = this.#passFilters(attempt, [node], statuses);
    const feasible = passing instanceof Status ? passing : await this.#passExtenders(attempt, passing, statuses);
    if (feasible instanceof Status) {
      framework.logger.error('Evaluation failed on nominated node', feasible.error, { pod: pod.key, node: name });
      return undefined;
    }
    return feasible[0];
  }

  /** Returns the filter results cached for the pod's signature; undefined without a signature. */
  #recall({ framework, state: { signature }, pod, snapshot }: Attempt): FilterAnswers | undefined {
    if (signature === undefined) return undefined;
    const answers = this.#answers.get(signature);
    answers.sync(snapshot, framework.nominator.nominatedNode(pod.pod));
    return answers;
  }

  /** Evaluates the nodes without a cached result. Returns false when one of them is feasible, or when the full search is needed. */
  #areAllRejected({ framework, state, pod, snapshot }: Attempt, answers: FilterAnswers): boolean {
    const undecided = answers.undecided(this.#wanted(framework, snapshot.nodes.length));
    if (!undecided) return false;
    for (const node of undecided) {
      const status = framework.filterWithNominatedPods(state, pod, node);
      if (!status || status.isRejected) answers.set(node, status ?? fits);
      if (!status?.isRejected) return false;
    }
    return true;
  }

  #passFilters(
    { framework, state, pod }: Attempt,
    nodes: readonly NodeInfo[],
    statuses: NodeToStatus,
    answers?: FilterAnswers,
  ): NodeInfo[] | Status {
    const wanted = this.#wanted(framework, nodes.length);
    const passing: NodeInfo[] = [];
    const start = nodes.length > 0 ? this.#start % nodes.length : 0;
    for (let i = 0; i < nodes.length && passing.length < wanted; i++) {
      const at = start + i;
      const node = nodes[at < nodes.length ? at : at - nodes.length]!;
      let answer = answers?.of(node);
      if (answer === undefined) {
        answer = framework.filterWithNominatedPods(state, pod, node) ?? fits;
        if (answer !== fits && !answer.isRejected) return answer;
        answers?.set(node, answer);
      }
      if (answer === fits) passing.push(node);
      else statuses.add(node, answer);
    }
    return passing;
  }

  #wanted(framework: Framework, numNodes: number): number {
    const { extenders, percentageOfNodesToScore } = this.#options;
    const hasChoice =
      framework.at('score').length > 0 || extenders.some(({ isFilter, isPrioritizer }) => isFilter || isPrioritizer);
    if (!hasChoice) return 1;
    return numFeasibleNodesToFind(framework.percentageOfNodesToScore ?? percentageOfNodesToScore, numNodes);
  }

  /** Calls the extenders in turn; each removes nodes. */
  async #passExtenders(
    { framework, pod: { pod }, signal }: Attempt,
    passing: readonly NodeInfo[],
    statuses: NodeToStatus,
  ): Promise<readonly NodeInfo[] | Status> {
    let nodes = passing;
    for (const extender of this.#options.extenders) {
      if (nodes.length === 0) break;
      if (!extender.isInterested(pod)) continue;
      try {
        const result = await extender.filter(pod, nodes, signal);
        const left = new Set(result.nodes.map(({ name }) => name));
        for (const node of nodes) {
          if (left.has(node.name)) continue;
          const unresolvable = result.failedAndUnresolvable[node.name];
          const failed = result.failed[node.name];
          if (unresolvable !== undefined) statuses.add(node, Status.unresolvable(unresolvable));
          else if (failed !== undefined) statuses.add(node, Status.unschedulable(failed));
        }
        nodes = result.nodes;
      } catch (error) {
        if (!extender.isIgnorable) return Status.failed(error);
        framework.logger.warn('Skipping extender as it returned error and has ignorable flag set', {
          extender: extender.name,
          err: error,
        });
      }
    }
    return nodes;
  }
}
