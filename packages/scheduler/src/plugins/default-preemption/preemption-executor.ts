import type { Pod } from '@coxswain/api/core/v1';
import { isConflict, isInternalError, isNotFound, isServiceUnavailable } from '@coxswain/apimachinery/errors';
import { defaultBackoff, type Indexer, retryOnError } from '@coxswain/client';
import type { Handle } from '../../framework/handle.ts';
import { podKind } from '../../framework/pod-kind.ts';
import { type PodStatusChange, podStatusPatch } from '../../framework/pod-status-patch.ts';
import type { Candidate } from './candidates.ts';
import { priorityOf } from './importance.ts';
import type { PreemptionMetrics } from './preemption-metrics.ts';

/** Limit on the victims of one pod that are evicted concurrently. */
const maxInFlight = 16;

interface Progress {
  lastVictim?: { readonly key: string; readonly uid: string | undefined };
}

/** Evicts victims while other pods are scheduled. The preemptor is not retried before all evictions have been requested. */
export class PreemptionExecutor {
  readonly #handle: Handle;
  readonly #pods: Indexer<Pod>;
  readonly #metrics: PreemptionMetrics;
  readonly #pluginName: string;
  /**
   * By UID: the preemptors whose victims are being evicted, with the last victim once its eviction starts. The state of the last victim is
   * read from the informer's cache: its deletion may be observed before the request returns, and no further event would retry the
   * preemptor.
   */
  readonly #preempting = new Map<string, Progress>();

  constructor(handle: Handle, metrics: PreemptionMetrics, pluginName: string) {
    this.#handle = handle;
    this.#pods = handle.informers.core.v1.pods.informer.indexer;
    this.#metrics = metrics;
    this.#pluginName = pluginName;
  }

  /** Whether evictions for the pod are still to be requested. */
  isPreempting({ metadata: { uid = '' } }: Pod): boolean {
    const preempting = this.#preempting.get(uid);
    if (!preempting?.lastVictim) return preempting !== undefined;
    const { key, uid: victim } = preempting.lastVictim;
    const known = this.#pods.getByKey(key);
    return known?.metadata.uid === victim && !known?.metadata.deletionTimestamp;
  }

  /** Starts evicting the candidate's victims, without waiting. */
  start(candidate: Candidate, preemptor: Pod, signal: AbortSignal): void {
    const victims = candidate.pods.filter(({ metadata }) => !metadata.deletionTimestamp);
    if (victims.length === 0) return;
    this.#metrics.chosen(candidate.pods.length);
    void this.#run(candidate.nodeName, victims, preemptor, signal);
  }

  async #run(nodeName: string, victims: readonly Pod[], preemptor: Pod, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#handle;
    const { uid = '' } = preemptor.metadata;
    const start = clock.monotonic();
    const progress: Progress = {};
    this.#preempting.set(uid, progress);
    let result: 'success' | 'error' = 'success';
    try {
      if (!(await this.#takeBackLowerPromises(nodeName, preemptor, signal))) result = 'error';
      const preempt = (victim: Pod): Promise<void> => this.#preempt(victim, nodeName, preemptor, signal);
      await preemptAll(victims, preempt, progress);
    } catch (error) {
      result = 'error';
      if (!signal.aborted) {
        const fields = { preemptor, node: nodeName };
        logger.error('Error occurred during async preemption', error, fields);
      }
    }
    // The preemptor may have been retried meanwhile, with a new preemption in progress.
    if (this.#preempting.get(uid) === progress) this.#preempting.delete(uid);
    this.#metrics.executed(result, clock.monotonic() - start);
    // An eviction that failed causes no event, so the preemptor is activated here.
    if (result === 'error' && !signal.aborted) this.#handle.activate([preemptor]);
  }

  async #preempt(victim: Pod, nodeName: string, preemptor: Pod, signal: AbortSignal): Promise<void> {
    const { recorder, logger } = this.#handle;
    const isStopped = this.#stopOnItsWay(victim);
    if (!isStopped && !(await this.#handle.write(() => this.#evict(victim, preemptor, signal)))) return;
    logger.v(2).info('Preemptor Pod preempted victim Pod', { preemptor, victim, node: nodeName });
    const note = `Preempted by pod ${preemptor.metadata.uid} on node ${nodeName}`;
    recorder.event(victim, {
      type: 'Normal',
      reason: 'Preempted',
      action: 'Preempting',
      note: isStopped ? `${note} (in kube-scheduler memory).` : note,
      kind: podKind,
      related: preemptor,
      relatedKind: podKind,
    });
  }

  /** A pod that is not bound yet is only sent back to the queue. */
  #stopOnItsWay({ metadata: { uid = '' } }: Pod): boolean {
    const waiting = this.#handle.waitingPods.get(uid);
    if (waiting) return waiting.preempt(this.#pluginName, 'preempted');
    return this.#handle.cancelPreBind(uid, `preempted by ${this.#pluginName}`);
  }

  /** Returns false when the victim is already deleted. */
  async #evict(victim: Pod, preemptor: Pod, signal: AbortSignal): Promise<boolean> {
    const { namespace = '', name = '', generation } = victim.metadata;
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: `${preemptor.spec?.schedulerName}: preempting to accommodate a higher priority pod`,
      ...(generation !== undefined && { observedGeneration: generation }),
    } as const;
    try {
      await this.#patchStatus(victim, { condition }, signal);
      await this.#handle.clients.core.v1.pods(namespace).withoutAnswers().delete(name, { signal });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  /** Removes the nominations of pods with lower priority on the node, so that they look for another node soon. */
  async #takeBackLowerPromises(nodeName: string, preemptor: Pod, signal: AbortSignal): Promise<boolean> {
    const { logger, nominator } = this.#handle;
    const priority = priorityOf(preemptor);
    const lower = nominator.nominatedPods(nodeName).filter((info) => info.priority < priority);
    try {
      for (const { pod } of lower) {
        await this.#handle.write(() => this.#patchStatus(pod, { nominatedNodeName: '' }, signal));
      }
      return true;
    } catch (error) {
      if (!signal.aborted) {
        logger.error("Cannot clear 'NominatedNodeName' field of pods", error, { node: nodeName });
      }
      return false;
    }
  }

  async #patchStatus(pod: Pod, change: PodStatusChange, signal: AbortSignal): Promise<void> {
    const { clients, clock, random } = this.#handle;
    const { namespace = '', name = '' } = pod.metadata;
    const patch = podStatusPatch(pod, change, clock.now());
    if (!patch) return;
    const pods = clients.core.v1.pods(namespace).withoutAnswers();
    await retryOnError(
      isRetriable,
      () => pods.patch(name, 'strategic-merge', patch, { subresource: 'status', signal }),
      { backoff: defaultBackoff, clock, random, signal },
    );
  }
}

/** Evicts all victims, the last one after all others. Rejects when one eviction fails; victims after it are not evicted. */
async function preemptAll(
  victims: readonly Pod[],
  preempt: (victim: Pod) => Promise<void>,
  progress: Progress,
): Promise<void> {
  const last = victims.length - 1;
  for (let i = 0; i < last; i += maxInFlight) {
    const outcomes = await Promise.allSettled(victims.slice(i, Math.min(i + maxInFlight, last)).map(preempt));
    const failed = outcomes.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }
  const { namespace = '', name = '', uid } = victims[last]!.metadata;
  progress.lastVictim = { key: `${namespace}/${name}`, uid };
  await preempt(victims[last]!);
}

const isRetriable = (error: unknown): boolean =>
  isInternalError(error) || isServiceUnavailable(error) || isConflict(error);
