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

/** Takes one pod after the other out of the queue and looks for a node for it. Binding goes on beside it. */
export class SchedulingLoop {
  readonly #context: SchedulingContext;
  readonly #parts: SchedulingLoopParts;
  #isWaiting = false;

  constructor(context: SchedulingContext, parts: SchedulingLoopParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** No pod is being tried, and none is there to be. */
  get isIdle(): boolean {
    return this.#isWaiting;
  }

  /** Resolves when the signal is aborted or the queue closed. */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#context.writes.room();
      const queued = await this.#next(signal);
      if (!queued) return;
      await this.#schedule(queued, signal);
      // Others in this process have their turn after every pod: the API server that this one will be bound by, perhaps.
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

  /** It is about to go, or has got a place already and was changed while it was looked for. */
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
