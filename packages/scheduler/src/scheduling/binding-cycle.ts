import { assignedPodDelete } from '../events/cluster-events.ts';
import { podKind } from '../framework/pod-kind.ts';
import type { Framework } from '../framework/runtime.ts';
import { Status } from '../framework/status.ts';
import type { QueuedPodInfo } from '../queue/queued-pod-info.ts';
import type { Failure, FailureHandler } from './failure-handler.ts';
import type { SchedulingContext } from './scheduling-context.ts';
import { type Placement, rejectionAt, type SchedulingCycle } from './scheduling-cycle.ts';

/** A pod on its way to its node. */
export interface Binding {
  readonly framework: Framework;
  readonly queued: QueuedPodInfo;
  readonly placement: Placement;
  /** When the attempt began, by the metrics' clock. */
  readonly start: number;
}

/** Binds pods to the nodes that were found for them, each at its own pace: others are scheduled meanwhile. */
export class BindingCycle {
  readonly #context: SchedulingContext;
  readonly #scheduling: SchedulingCycle;
  readonly #failures: FailureHandler;
  /** Those that are not done. */
  readonly #running = new Set<Promise<void>>();

  constructor(context: SchedulingContext, scheduling: SchedulingCycle, failures: FailureHandler) {
    this.#context = context;
    this.#scheduling = scheduling;
    this.#failures = failures;
  }

  /** How many are under way. */
  get size(): number {
    return this.#running.size;
  }

  start(binding: Binding, signal: AbortSignal): void {
    const running = this.#run(binding, signal).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves when nothing is under way any more. */
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
      // Who ends in the middle of it finds the pod as the server has it when it starts again.
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
      // It takes a while: others, such as an autoscaler, should know where the pod is going to be.
      await this.#failures.updateStatus(queued.info.pod, { nominatedNodeName: nodeName }, signal);
    }
    const held = await framework.waitOnPermit(assumed);
    if (held) return rejectionAt(nodeName, held, framework.snapshot());
    // Whatever goes wrong from here on, the pod is tried again anyway: nothing that happens meanwhile need be remembered.
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

  /** Extenders go first. */
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
    // The place is free again: that may help others. Not the pod itself, where plug-ins have rejected it.
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
