import type { Pod } from '@coxswain/api/core/v1';
import { isConflict, isInternalError, isNotFound, isServiceUnavailable } from '@coxswain/apimachinery/errors';
import { defaultBackoff, retryOnError } from '@coxswain/client';
import type { FitError } from '../framework/fit-error.ts';
import { PodInfo } from '../framework/pod-info.ts';
import { podKind } from '../framework/pod-kind.ts';
import { type PodStatusChange, podStatusPatch } from '../framework/pod-status-patch.ts';
import type { Framework } from '../framework/runtime.ts';
import type { Status } from '../framework/status.ts';
import type { QueuedPodInfo } from '../queue/queued-pod-info.ts';
import type { SchedulingContext } from './scheduling-context.ts';

/** Why an attempt to schedule a pod failed. */
export interface Failure {
  readonly status: Status;
  /** Set when plug-ins rejected the pod. */
  readonly fitError?: FitError;
  /** The node that will have room for the pod; empty removes the existing nomination; undefined keeps it. */
  readonly nominatedNodeName?: string | undefined;
}

/** Limit on the length of an event's note. */
const noteLengthLimit = 1024;

/** Handles failed attempts: emits an event, updates the pod's status, and returns the pod to the queue. */
export class FailureHandler {
  readonly #context: SchedulingContext;
  /** By UID: the status update in progress. The next update waits for it, so that the last one wins. */
  readonly #writing = new Map<string, Promise<void>>();

  constructor(context: SchedulingContext) {
    this.#context = context;
  }

  get isIdle(): boolean {
    return this.#writing.size === 0;
  }

  /** Resolves when no status update is in progress. */
  async ended(): Promise<void> {
    await Promise.all(this.#writing.values());
  }

  /** `start`: when the attempt began, by the metrics' clock. */
  handle(framework: Framework, queued: QueuedPodInfo, failure: Failure, start: number, signal: AbortSignal): void {
    const { status, fitError, nominatedNodeName } = failure;
    const { logger, metrics, queue } = this.#context;
    const reason = status.isRejected ? 'Unschedulable' : 'SchedulerError';
    const message = fitError?.message ?? status.message;
    metrics.attempted(status.isRejected ? 'unschedulable' : 'error', framework.profileName, start);
    if (!status.isRejected)
      logger.error('Error scheduling pod; retrying', status.error ?? message, { pod: queued.key });
    else logger.v(2).info('Unable to schedule pod; no fit; waiting', { pod: queued.key, err: message });
    const info = this.#requeue(queued, fitError);
    if (info === 'replaced') return;
    const { pod } = info;
    queue.nominator.addNominatedPod(info, nominatedNodeName);
    framework.recorder.event(pod, {
      type: 'Warning',
      reason: 'FailedScheduling',
      action: 'Scheduling',
      note: shortened(message),
      kind: podKind,
    });
    const { generation } = pod.metadata;
    this.updateStatus(
      pod,
      {
        condition: {
          type: 'PodScheduled',
          status: 'False',
          reason,
          message,
          ...(generation !== undefined && { observedGeneration: generation }),
        },
        nominatedNodeName,
      },
      signal,
    );
  }

  /** Updates the pod's status if it changes. Resolves when the update is done, or has failed and is logged. */
  updateStatus(pod: Pod, change: PodStatusChange, signal: AbortSignal): Promise<void> {
    const { clients, clock, logger, random, writes } = this.#context;
    const { uid = '', name = '', namespace = '' } = pod.metadata;
    const patch = podStatusPatch(pod, change, clock.now());
    if (!patch) return Promise.resolve();
    const pods = clients.core.v1.pods(namespace).withoutAnswers();
    const write = async (): Promise<void> => {
      await this.#writing.get(uid);
      try {
        await writes.run(() =>
          retryOnError(
            isRetriable,
            () => pods.patch(name, 'strategic-merge', patch, { subresource: 'status', signal }),
            { backoff: defaultBackoff, clock, random, signal },
          ),
        );
      } catch (error) {
        if (!signal.aborted && !isNotFound(error)) logger.error('Error updating pod', error, { pod });
      }
    };
    const writing = write().finally(() => {
      if (this.#writing.get(uid) === writing) this.#writing.delete(uid);
    });
    this.#writing.set(uid, writing);
    return writing;
  }

  /**
   * Returns the current pod to the queue, unless it was deleted or has a node. Returns `replaced` when there is another pod of the same
   * name.
   */
  #requeue(queued: QueuedPodInfo, fitError: FitError | undefined): PodInfo | 'replaced' {
    const { pods, queue, logger } = this.#context;
    const { uid } = queued;
    const known = pods.getByKey(queued.key);
    if (!known || known.spec?.nodeName) {
      if (known) {
        const node = known.spec?.nodeName;
        logger.info('Pod has been assigned to node. Abort adding it back to queue.', { pod: queued.key, node });
      } else logger.info("Pod doesn't exist in informer cache", { pod: queued.key });
      queue.done(uid);
      return queued.info;
    }
    if (known.metadata.uid !== uid) {
      queue.done(uid);
      return 'replaced';
    }
    const info = new PodInfo(known);
    const { unschedulable, pending } = fitError?.rejectors ?? nobody;
    queue.addUnschedulableIfNotPresent(queued, { info, unschedulablePlugins: unschedulable, pendingPlugins: pending });
    return info;
  }
}

const nobody = { unschedulable: new Set<string>(), pending: new Set<string>() };

const isRetriable = (error: unknown): boolean =>
  isInternalError(error) || isServiceUnavailable(error) || isConflict(error);

function shortened(message: string): string {
  const bytes = Buffer.from(message);
  if (bytes.length <= noteLengthLimit) return message;
  const end = ' ...';
  return new TextDecoder().decode(bytes.subarray(0, noteLengthLimit - end.length), { stream: true }) + end;
}
