import { CycleState } from '../framework/cycle-state.ts';
import { FitError } from '../framework/fit-error.ts';
import { NodeToStatus } from '../framework/node-to-status.ts';
import { PodInfo } from '../framework/pod-info.ts';
import type { Framework } from '../framework/runtime.ts';
import type { Snapshot } from '../framework/snapshot.ts';
import { Status } from '../framework/status.ts';
import type { Failure } from './failure-handler.ts';
import type { Attempt, NodeFinder } from './node-finder.ts';
import type { SchedulingContext } from './scheduling-context.ts';
import { selectHost } from './select-host.ts';

/** A pod with a selected node. It is assumed there until it is bound. */
export interface Placement {
  readonly nodeName: string;
  /** The pod with the node's name in its spec. */
  readonly assumed: PodInfo;
  readonly state: CycleState;
}

/** Removes the nomination. */
const nowhere = '';

/** Selects a node for one pod at a time. */
export class SchedulingCycle {
  readonly #context: SchedulingContext;
  readonly #finder: NodeFinder;

  constructor(context: SchedulingContext, finder: NodeFinder) {
    this.#context = context;
    this.#finder = finder;
  }

  /** Selects a node and assumes the pod there, or returns why that is impossible. Never throws. */
  async run(framework: Framework, pod: PodInfo, signal: AbortSignal): Promise<Placement | Failure> {
    const { cache, metrics } = this.#context;
    const start = metrics.now();
    try {
      const snapshot = cache.updateSnapshot();
      const attempt = { framework, pod, snapshot, signal, state: new CycleState() };
      const nodeName = await this.#findNode(attempt);
      metrics.algorithmRan(start);
      return typeof nodeName === 'string' ? this.#keep(attempt, nodeName) : nodeName;
    } catch (error) {
      return { status: Status.failed(error), nominatedNodeName: nowhere };
    }
  }

  async #findNode(attempt: Attempt): Promise<string | Failure> {
    if (attempt.snapshot.nodes.length === 0) {
      const status = Status.unresolvable('no nodes available to schedule pods');
      return { status, nominatedNodeName: nowhere };
    }
    const found = await this.#finder.find(attempt);
    if (found instanceof Status) return { status: found, nominatedNodeName: nowhere };
    if (found instanceof FitError) return this.#makeRoom(attempt, found);
    const node = await selectHost(attempt, found.nodes, this.#context.random);
    return node instanceof Status ? { status: node, nominatedNodeName: nowhere } : node.name;
  }

  /** No node is feasible. PostFilter plug-ins may make room by preemption. */
  async #makeRoom({ framework, state, pod, signal }: Attempt, fitError: FitError): Promise<Failure> {
    if (framework.at('postFilter').length === 0) {
      return { status: Status.unschedulable(), fitError, nominatedNodeName: nowhere };
    }
    const { result, status } = await framework.timer.timeAsync(
      'PostFilter',
      () => framework.runPostFilter(state, pod, fitError.statuses, signal),
      (outcome) => outcome.status,
    );
    fitError.postFilterMessage = status?.message ?? '';
    if (status?.code === 'Error') {
      this.#context.logger.error('Status after running PostFilter plugins for pod', status.error, { pod: pod.key });
    }
    return { status: Status.unschedulable(), fitError, nominatedNodeName: result?.nominatedNodeName };
  }

  /** Assumes the pod on the node and runs Reserve and Permit. */
  #keep({ framework, state, pod, snapshot }: Attempt, nodeName: string): Placement | Failure {
    const { cache, queue } = this.#context;
    const assumed = new PodInfo({
      ...pod.pod,
      spec: { ...pod.pod.spec, containers: pod.pod.spec?.containers ?? [], nodeName },
    });
    cache.assumePod(assumed, nodeName);
    queue.nominator.deleteNominatedPod(pod.pod);
    const { timer } = framework;
    const status =
      timer.time('Reserve', () => framework.runReserve(state, assumed, nodeName)) ??
      timer.time('Permit', () => framework.runPermit(state, assumed, nodeName));
    if (!status) return { nodeName, assumed, state };
    this.release(framework, { nodeName, assumed, state });
    return rejectionAt(nodeName, status, snapshot);
  }

  /** Undoes a placement: runs Unreserve and forgets the assumed pod. */
  release(framework: Framework, { state, assumed, nodeName }: Placement): void {
    framework.timer.time('Unreserve', () => framework.runUnreserve(state, assumed, nodeName));
    this.#context.cache.forgetPod(assumed.pod);
  }
}

/** Returns the failure of a pod that was rejected after its node was selected. */
export function rejectionAt(nodeName: string, status: Status, snapshot: Snapshot): Failure {
  if (!status.isRejected) return { status, nominatedNodeName: nowhere };
  const statuses = new NodeToStatus(snapshot);
  const node = snapshot.get(nodeName);
  if (node) statuses.add(node, status);
  return { status, fitError: new FitError(1, statuses), nominatedNodeName: nowhere };
}
