import type { Job } from '@coxswain/api/batch/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { hasStatusCause, isNotFound } from '@coxswain/apimachinery/errors';
import { GroupVersionKind, newControllerRef, type OwnerReference } from '@coxswain/apimachinery/meta';
import {
  ControllerExpectations,
  type EventRecorder,
  slowStartBatch,
  UIDTrackingControllerExpectations,
} from '@coxswain/client';
import { isPodReady } from '@coxswain/component-helpers';
import type { ControllerContext } from '../framework/controller/controller.ts';
import { inParallel } from '../framework/failures/in-parallel.ts';
import { hasFinalizer, withFinalizer } from '../framework/finalizers/finalizers.ts';
import { PodControl, type PodOwner, podFromTemplate } from '../framework/pods/pod-control.ts';
import { podOfIndex, withIndexVariable } from './completion-index.ts';
import { type JobObservation, trackingFinalizer } from './job-observation.ts';
import { jobResource } from './jobs.ts';
import { releasePatch } from './orphan-pods.ts';

export const jobReference = (job: Job): OwnerReference =>
  newControllerRef(job, GroupVersionKind.of('batch', 'v1', 'Job'));

/** The numbers of a Job's pods in its status. */
export interface PodCounts {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
}

/** The counts after creating or deleting pods, and the first failure. */
interface Managed {
  readonly counts: PodCounts;
  readonly failure?: unknown;
}

/** The maximum number of parallel writes for one Job. */
export const mostWritesAtOnce = 500;

/** Creates and deletes pods of Jobs, and tracks whether the cache has observed these changes. */
export class JobPods {
  readonly #context: ControllerContext;
  readonly #control: PodControl;
  readonly #expectations: UIDTrackingControllerExpectations;
  readonly #onWrite: (key: string, pod: Pod) => void;

  /** `onWrite` is called with every pod that the server returns for a write. */
  constructor(context: ControllerContext, recorder: EventRecorder, onWrite: (key: string, pod: Pod) => void) {
    this.#context = context;
    this.#control = new PodControl(context.clients, recorder);
    this.#expectations = new UIDTrackingControllerExpectations(new ControllerExpectations({ clock: context.clock }));
    this.#onWrite = onWrite;
  }

  /** Whether all creations and deletions of pods for the Job have been observed. */
  hasSeenAll(key: string): boolean {
    return this.#expectations.satisfied(key);
  }

  created(key: string): void {
    this.#expectations.creationObserved(key);
  }

  deleted(key: string, pod: Pod): void {
    this.#expectations.deletionObserved(key, pod.metadata.uid ?? '');
  }

  forget(key: string): void {
    this.#expectations.deleteExpectations(key);
  }

  /** Creates one pod for each entry, which is its completion index or undefined. */
  async create(
    key: string,
    { job, spec, indexes }: JobObservation,
    entries: readonly (number | undefined)[],
    counts: PodCounts,
  ): Promise<Managed> {
    const owner = podOwner(job);
    const plain = podFromTemplate(indexes ? withIndexVariable(spec.template) : spec.template, owner);
    const pod = hasFinalizer(plain, trackingFinalizer) ? plain : withFinalizer(plain, trackingFinalizer);

    this.#expectations.expectCreations(key, entries.length);
    const queue = entries.values();
    const { successes, error } = await slowStartBatch(entries.length, async () => {
      const index = queue.next().value;
      const ofIndex = index === undefined ? pod : podOfIndex(pod, job, index, indexes?.lastFailed.get(index));
      try {
        this.#onWrite(key, await this.#control.create(job.metadata.namespace ?? '', ofIndex, owner));
      } catch (error) {
        // The namespace is being deleted: a retry is pointless.
        if (!hasStatusCause(error, 'NamespaceTerminating')) throw error;
      }
    });
    // Failed creations will not be observed.
    this.#expectations.expectations.lowerExpectations(key, entries.length - successes, 0);
    return { counts: { ...counts, active: counts.active + successes }, failure: error };
  }

  /** Deletes pods that need not be counted, after removing their finalizer. */
  async remove(key: string, job: Job, pods: readonly Pod[], counts: PodCounts): Promise<Managed> {
    this.#expectations.expectDeletions(
      key,
      pods.map(({ metadata }) => metadata.uid ?? ''),
    );
    const client = this.#context.clients.core.v1.pods(job.metadata.namespace ?? '');
    return await this.#deleteAll(job, pods, counts, async (pod, owner) => {
      const { namespace = '', name = '' } = pod.metadata;
      try {
        if (hasFinalizer(pod, trackingFinalizer)) {
          this.#onWrite(key, await client.patch(name, 'strategic-merge', releasePatch(pod)));
        }
        await this.#control.delete(namespace, name, owner);
      } catch (error) {
        // The deletion will not be observed.
        this.deleted(key, pod);
        throw error;
      }
    });
  }

  /** Deletes the active pods of a Job that ends. They keep their finalizer, because they still have to be counted. */
  async deleteActive(job: Job, pods: readonly Pod[], counts: PodCounts): Promise<Managed> {
    return await this.#deleteAll(job, pods, counts, ({ metadata: { namespace = '', name = '' } }, owner) =>
      this.#control.delete(namespace, name, owner),
    );
  }

  async #deleteAll(
    job: Job,
    pods: readonly Pod[],
    counts: PodCounts,
    deletePod: (pod: Pod, owner: PodOwner) => Promise<void>,
  ): Promise<Managed> {
    const owner = podOwner(job);
    let { active, ready, terminating } = counts;
    let failure: unknown;
    await inParallel(pods, mostWritesAtOnce, async (pod) => {
      try {
        await deletePod(pod, owner);
      } catch (error) {
        if (!isNotFound(error)) {
          failure ??= error;
          return;
        }
      }
      active--;
      terminating++;
      if (isPodReady(pod)) ready--;
    });
    return { counts: { active, ready, terminating }, failure };
  }
}

function podOwner(job: Job): PodOwner {
  return { object: job, resource: jobResource, reference: jobReference(job) };
}
