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

/** In a cluster of so few nodes all are looked at; in a larger one, so many at least are looked for. */
const minFeasibleNodes = 100;
const minPercentage = 5;

/**
 * How many nodes are enough to choose from: to look at all nodes of a large cluster for every pod would make it slow. Without
 * a percentage (0) it is half of a small cluster, and less of a larger one down to 5 %.
 */
export function numFeasibleNodesToFind(percentage: number, numAllNodes: number): number {
  if (numAllNodes < minFeasibleNodes) return numAllNodes;
  const share = percentage || Math.max(50 - Math.trunc(numAllNodes / 125), minPercentage);
  return Math.max(Math.trunc((numAllNodes * share) / 100), minFeasibleNodes);
}

export interface NodeFinderOptions {
  readonly extenders: readonly Extender[];
  /** Where a profile does not say; 0: as many as are good. */
  readonly percentageOfNodesToScore: number;
}

/** What is asked of the finder: a pod in the course of an attempt to schedule it. */
export interface Attempt {
  readonly framework: Framework;
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly snapshot: Snapshot;
  readonly signal: AbortSignal;
}

export interface FeasibleNodes {
  readonly nodes: readonly NodeInfo[];
  /** How many were looked at. */
  readonly evaluated: number;
}

/** Finds nodes that a pod may be on. It goes on where it stopped for the pod before, so that all nodes have the same chance. */
export class NodeFinder {
  readonly #options: NodeFinderOptions;
  /** What the filters of all profiles said. */
  readonly #answers = new SignatureCache(() => new FilterAnswers());
  #start = 0;

  constructor(options: NodeFinderOptions) {
    this.#options = options;
  }

  /** Never none: then it is a FitError, or the status of what went wrong. */
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
    // All were looked at: the next pod begins with the same node.
    if (passing instanceof FilterAnswers) return new FitError(numAllNodes, passing, { plugins });
    const evaluated = statuses.size + (passing instanceof Status ? 0 : passing.length);
    this.#start = (this.#start + evaluated) % numAllNodes;
    if (passing instanceof Status) return passing;
    const feasible = await this.#passExtenders(attempt, passing, statuses);
    if (feasible instanceof Status) return feasible;
    if (feasible.length > 0) return { nodes: feasible, evaluated };
    // Nobody knows what would make an extender change its mind.
    const byExtender = passing.length > 0 ? [extenderName] : [];
    return new FitError(numAllNodes, statuses, { plugins: new Set([...plugins, ...byExtender]) });
  }

  /** Where other pods were asked to go for this one: most likely the only place there is. */
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

  /** What filters said to pods like this one, if there may be any. */
  #recall({ framework, state: { signature }, pod, snapshot }: Attempt): FilterAnswers | undefined {
    if (signature === undefined) return undefined;
    const answers = this.#answers.get(signature);
    answers.sync(snapshot, framework.nominator.nominatedNode(pod.pod));
    return answers;
  }

  /** Asks about the few nodes of which it is not known. False when one fits, or it takes a closer look. */
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

  /** One extender after the other says what of the nodes is left. */
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
