import { assignedPodDelete } from '../events/cluster-events.ts';
import { podKind } from '../framework/pod-kind.ts';
import type { Framework } from '../framework/runtime.ts';
import { Status } from '../framework/status.ts';
import type { QueuedPodInfo } from '../queue/queued-pod-info.ts';
import type { Failure, FailureHandler } from './failure-handler.ts';
import type { SchedulingContext } from './scheduling-context.ts';
import { type Placement, rejectionAt, type SchedulingCycle } from './scheduling-cycle.ts';

/** A pod that is being bound to its node. */
export interface Binding {
  readonly framework: Framework;
  readonly queued: QueuedPodInfo;
  readonly placement: Placement;
  /** When the attempt began, by the metrics' clock. */
  readonly start: number;
}

/** Binds pods to their nodes, concurrently with each other and with the scheduling of further pods. */
export class BindingCycle {
  readonly #context: SchedulingContext;
  readonly #scheduling: SchedulingCycle;
  readonly #failures: FailureHandler;
  /** The bindings in progress. */
  readonly #running = new Set<Promise<void>>();

  constructor(context: SchedulingContext, scheduling: SchedulingCycle, failures: FailureHandler) {
    this.#context = context;
    this.#scheduling = scheduling;
    this.#failures = failures;
  }

  /** The number of bindings in progress. */
  get size(): number {
    return this.#running.size;
  }

  start(binding: Binding, signal: AbortSignal): void {
    const running = this.#run(binding, signal).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves when no binding is in progress. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #run(binding: Binding, signal: AbortSignal): Promise<void> {
    const { framework, queued, placement, start } = binding;
    const { metrics } = this.#context;
    let failure: Failure | undefined;
    try {
      failure = await this.#bind(binding, signal);
    } catch (error) {
      failure = { status: Status.failed(error), nominatedNodeName: '' };
    }
    if (failure) {
      // When the scheduler is stopping, the failure is not handled: after a restart it reads the pod's state from the server.
      if (!signal.aborted) this.#fail(binding, failure, signal);
      return;
    }
    const decisions = this.#context.logger.v(2);
    if (decisions.enabled) {
      const { assumed, nodeName } = placement;
      decisions.info('Successfully bound pod to node', { pod: assumed.pod, node: nodeName });
    }
    metrics.attempted('scheduled', framework.profileName, start);
    metrics.scheduled(queued);
    framework.timer.time('PostBind', () => {
      framework.runPostBind(placement.state, placement.assumed, placement.nodeName);
    });
  }

  async #bind({ framework, queued, placement }: Binding, signal: AbortSignal): Promise<Failure | undefined> {
    const { state, assumed, nodeName } = placement;
    const { writes, queue } = this.#context;
    const skipped = new Set<string>();
    const preFlight = framework.runPreBindPreFlights(state, assumed, nodeName, skipped);
    if (preFlight instanceof Status) return { status: preFlight, nominatedNodeName: '' };
    if (preFlight.willWork || framework.willWaitOnPermit(assumed)) {
      // Binding takes a while, so other components such as an autoscaler should know the pod's node.
      await this.#failures.updateStatus(queued.info.pod, { nominatedNodeName: nodeName }, signal);
    }
    const held = await framework.waitOnPermit(assumed);
    if (held) return rejectionAt(nodeName, held, framework.snapshot());
    // After any later failure the pod is retried anyway, so events need not be recorded for it any longer.
    queue.done(queued.uid);
    const { timer } = framework;
    const preBind = () => framework.runPreBind(state, assumed, nodeName, { skipped, signal });
    const bind = () => writes.run(() => this.#bindByAnyone(framework, placement, signal));
    const status = (await timer.timeAsync('PreBind', preBind)) ?? (await timer.timeAsync('Bind', bind));
    if (status) return { status, nominatedNodeName: '' };
    const { namespace = '', name = '' } = assumed.pod.metadata;
    framework.recorder.event(assumed.pod, {
      type: 'Normal',
      reason: 'Scheduled',
      action: 'Binding',
      note: `Successfully assigned ${namespace}/${name} to ${nodeName}`,
      kind: podKind,
    });
    return undefined;
  }

  /** Extenders take precedence over Bind plug-ins. */
  async #bindByAnyone(
    framework: Framework,
    { state, assumed, nodeName }: Placement,
    signal: AbortSignal,
  ): Promise<Status | undefined> {
    const { name = '', namespace = '', uid = '' } = assumed.pod.metadata;
    for (const extender of framework.extenders) {
      if (!extender.isBinder || !extender.isInterested(assumed.pod)) continue;
      try {
        await extender.bind({ metadata: { name, namespace, uid }, target: { kind: 'Node', name: nodeName } }, signal);
        return undefined;
      } catch (error) {
        if (!extender.isIgnorable) return Status.failed(error);
        this.#context.logger.warn('Skipping extender in bind as it returned error and has ignorable flag set', {
          extender: extender.name,
          err: error,
        });
      }
    }
    return framework.runBind(state, assumed, nodeName, signal);
  }

  #fail({ framework, queued, placement, start }: Binding, failure: Failure, signal: AbortSignal): void {
    const { queue } = this.#context;
    const { pod } = placement.assumed;
    this.#scheduling.release(framework, placement);
    // The freed place may help other pods. It does not help the pod itself when plug-ins have rejected it.
    if (failure.status.isRejected) {
      this.#failures.handle(framework, queued, failure, start, signal);
      const isOther = ({ metadata: { uid } }: typeof pod): boolean => uid !== pod.metadata.uid;
      queue.moveAllToActiveOrBackoffQueue(assignedPodDelete, pod, undefined, isOther);
    } else {
      queue.moveAllToActiveOrBackoffQueue(assignedPodDelete, pod, undefined);
      this.#failures.handle(framework, queued, failure, start, signal);
    }
  }
}
