import { nextTurn } from '@coxswain/apimachinery/turns';
import { podKind } from '../framework/pod-kind.ts';
import type { Framework } from '../framework/runtime.ts';
import type { QueuedPodInfo } from '../queue/queued-pod-info.ts';
import type { BindingCycle } from './binding-cycle.ts';
import type { FailureHandler } from './failure-handler.ts';
import type { SchedulingContext } from './scheduling-context.ts';
import type { SchedulingCycle } from './scheduling-cycle.ts';

export interface SchedulingLoopParts {
  /** By `schedulerName`. */
  readonly frameworks: ReadonlyMap<string, Framework>;
  readonly scheduling: SchedulingCycle;
  readonly bindings: BindingCycle;
  readonly failures: FailureHandler;
}

/** Pops pods one by one and schedules them. Binding runs concurrently. */
export class SchedulingLoop {
  readonly #context: SchedulingContext;
  readonly #parts: SchedulingLoopParts;
  #isWaiting = false;

  constructor(context: SchedulingContext, parts: SchedulingLoopParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** True while it waits for a pod. */
  get isIdle(): boolean {
    return this.#isWaiting;
  }

  /** Runs until the signal is aborted or the queue is closed. */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#context.writes.room();
      const queued = await this.#next(signal);
      if (!queued) return;
      await this.#schedule(queued, signal);
      // Yields to other tasks of this process after each pod, possibly to the API server that handles the binding.
      await nextTurn(this.#context.eventLoop);
    }
  }

  async #next(signal: AbortSignal): Promise<QueuedPodInfo | undefined> {
    if (signal.aborted) return undefined;
    const queued = this.#context.queue.tryPop();
    if (queued) return queued;
    this.#isWaiting = true;
    try {
      return await this.#context.queue.pop(signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    } finally {
      this.#isWaiting = false;
    }
  }

  async #schedule(queued: QueuedPodInfo, signal: AbortSignal): Promise<void> {
    const { logger, metrics, queue } = this.#context;
    const { frameworks, scheduling, bindings, failures } = this.#parts;
    const framework = frameworks.get(queued.profile);
    if (!framework || this.#isSkipped(framework, queued)) {
      if (!framework) logger.error('Error occurred', `profile not found for scheduler name "${queued.profile}"`);
      queue.done(queued.uid);
      return;
    }
    const attempts = logger.v(3);
    if (attempts.enabled) attempts.info('Attempting to schedule pod', { pod: queued.key });
    const start = metrics.now();
    const outcome = await scheduling.run(framework, queued.info, signal);
    if ('nodeName' in outcome) bindings.start({ framework, queued, placement: outcome, start }, signal);
    else if (!signal.aborted) failures.handle(framework, queued, outcome, start, signal);
  }

  /**
   * Returns whether the pod must not be scheduled: it is being deleted, or it was already assumed on a node when an
   * update re-queued it.
   */
  #isSkipped(framework: Framework, { info: { pod } }: QueuedPodInfo): boolean {
    const { namespace, name, deletionTimestamp } = pod.metadata;
    if (!deletionTimestamp) return this.#context.cache.isAssumed(pod);
    framework.recorder.event(pod, {
      type: 'Warning',
      reason: 'FailedScheduling',
      action: 'Scheduling',
      note: `skip schedule deleting pod: ${namespace}/${name}`,
      kind: podKind,
    });
    return true;
  }
}
