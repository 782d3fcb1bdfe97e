import type { Pod, PodStatus } from '@coxswain/api/core/v1';
import { asApiError, isConflict, isInvalid, isNotFound } from '@coxswain/apimachinery/errors';
import { jsonEquals } from '@coxswain/apimachinery/json';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { type EventLoop, systemEventLoop } from '@coxswain/apimachinery/turns';
import type { ClientSet, Clock, Logger, Timer } from '@coxswain/client';
import { isStaticPod } from '../static-pods/read-static-pods.ts';
import { finishedStatus } from './finished-status.ts';
import { statusPatch, tellableStatus } from './status-patch.ts';

export interface StatusManagerOptions {
  readonly clients: ClientSet;
  readonly clock: Clock;
  /** Defers writes to the next turn, so that changes of the same turn become one write. The system's event loop by default. */
  readonly eventLoop?: EventLoop;
  readonly logger: Logger;
  /** Returns whether containers of the pod may still run. */
  readonly mayRun: (podUid: string) => boolean;
  /** Returns the mirror pod of a static pod, whose status is written in its place. Not needed if the node has no static pods. */
  readonly mirrorOf?: ((staticPod: Pod) => Pod | undefined) | undefined;
}

/** The status of one pod, here and in the API server. */
interface Entry {
  /** The pod as last seen. */
  pod: Pod;
  status: PodStatus;
  /** Increases with every change of the status. */
  version: number;
  /** The last version that was written. -1 if none was. */
  writtenVersion: number;
  /** The status in the API server, and the pod's resourceVersion when it was seen there. */
  base: PodStatus;
  baseVersion: number;
  /** True once no container of the pod runs. Then it may be deleted in the API server. */
  isFinished: boolean;
  isWriting: boolean;
  retry: Timer | undefined;
  retryMs: number;
}

const maxWrites = 8;
const firstRetryMs = 1000;
const longestRetryMs = 10_000;

/**
 * Writes the statuses of a node's pods to the API server. A write is a patch with the changed fields. Only the latest status is written,
 * and for each pod one write is under way at a time. A pod with a deletion timestamp is deleted in the API server when it has finished.
 *
 * Differs from upstream: the pod is not read before each write, because the patch is computed from the status that was last seen in the
 * API server. A write starts on the next turn of the event loop, or with `flush`, so that successive changes become one write.
 */
export class StatusManager {
  readonly #options: StatusManagerOptions;
  /** The entries by uid of the pod: at most one for each pod of the node. */
  readonly #entries = new Map<string, Entry>();
  readonly #dirty = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  #isDue = false;
  #stop = new AbortController();

  constructor(options: StatusManagerOptions) {
    this.#options = options;
  }

  /** Returns the status that was set last. */
  get(podUid: string): PodStatus | undefined {
    return this.#entries.get(podUid)?.status;
  }

  set(pod: Pod, status: PodStatus): void {
    const entry = this.#entry(pod);
    if (entry.version > 0 && jsonEquals(entry.status, status, { undefinedIsAbsent: true })) return;
    entry.status = status;
    this.#changed(entry);
  }

  /** Sets the status of a pod that the node does not admit. The pod counts as finished. */
  reject(pod: Pod, status: PodStatus): void {
    const startTime = pod.status?.startTime ?? timeFromDate(new Date(this.#options.clock.now()));
    this.#entry(pod).isFinished = true;
    this.set(pod, { ...status, startTime });
  }

  /** Makes the status final. Called when no container of the pod runs and its volumes are released. */
  finish(pod: Pod): void {
    const entry = this.#entry(pod);
    entry.status = finishedStatus(pod, entry.status);
    entry.isFinished = true;
    this.#changed(entry);
  }

  /** Takes over a new state of the pod from the API server. If another client changed the kubelet's fields, they are written again. */
  observe(pod: Pod): void {
    const entry = this.#entries.get(uidOf(pod));
    if (!entry) return;
    entry.pod = pod;
    const version = Number(pod.metadata.resourceVersion);
    if (version > entry.baseVersion) {
      entry.base = pod.status ?? {};
      entry.baseVersion = version;
    }
    if (!entry.isWriting && (this.#patchOf(entry) !== undefined || isDeletable(entry))) this.#enqueue(entry);
  }

  /** Starts the pod's pending write without waiting for the next turn. */
  flush(podUid: string): void {
    this.#begin(podUid);
  }

  /** Takes over a new state of a static pod's mirror pod. If its status differs from the static pod's, it is written again. */
  observeMirror(staticPod: Pod, mirror: Pod): void {
    const entry = this.#entries.get(uidOf(staticPod));
    if (!entry || entry.isWriting) return;
    entry.base = mirror.status ?? {};
    entry.baseVersion = Number(mirror.metadata.resourceVersion);
    if (this.#patchOf(entry) !== undefined) this.#enqueue(entry);
  }

  forget(podUid: string): void {
    this.#entries.get(podUid)?.retry?.cancel();
    this.#entries.delete(podUid);
  }

  /** Cancels writes that are under way, drops pending ones, and resolves when none is left. */
  async stop(): Promise<void> {
    this.#stop.abort();
    for (const { retry } of this.#entries.values()) retry?.cancel();
    this.#dirty.clear();
    await Promise.all(this.#underWay);
  }

  #entry(pod: Pod): Entry {
    const uid = uidOf(pod);
    const known = this.#entries.get(uid);
    if (known) {
      known.pod = pod;
      return known;
    }
    const entry: Entry = {
      pod,
      status: pod.status ?? {},
      version: 0,
      writtenVersion: -1,
      base: pod.status ?? {},
      baseVersion: Number(pod.metadata.resourceVersion),
      isFinished: false,
      isWriting: false,
      retry: undefined,
      retryMs: firstRetryMs,
    };
    this.#entries.set(uid, entry);
    return entry;
  }

  #changed(entry: Entry): void {
    entry.version++;
    this.#enqueue(entry);
  }

  #enqueue(entry: Entry): void {
    if (this.#stop.signal.aborted) return;
    entry.retry?.cancel();
    this.#dirty.add(uidOf(entry.pod));
    if (this.#isDue) return;
    this.#isDue = true;
    const { eventLoop = systemEventLoop } = this.#options;
    eventLoop.onNextTurn(() => {
      this.#isDue = false;
      if (!this.#stop.signal.aborted) this.#pump();
    });
  }

  /** Starts pending writes until `maxWrites` are under way. */
  #pump(): void {
    for (const uid of this.#dirty) this.#begin(uid);
  }

  #begin(uid: string): void {
    const entry = this.#entries.get(uid);
    if (!this.#dirty.has(uid) || entry?.isWriting || this.#underWay.size >= maxWrites) return;
    this.#dirty.delete(uid);
    if (!entry) return;
    entry.isWriting = true;
    const write = this.#write(entry).finally(() => {
      entry.isWriting = false;
      this.#underWay.delete(write);
      this.#pump();
    });
    this.#underWay.add(write);
  }

  async #write(entry: Entry): Promise<void> {
    const isStatic = isStaticPod(entry.pod);
    const target = isStatic ? this.#options.mirrorOf?.(entry.pod) : entry.pod;
    // The status of a static pod is written once its mirror pod exists (`observeMirror`).
    if (!target) return;
    const { name = '', namespace = '', uid = '' } = target.metadata;
    const pods = this.#options.clients.core.v1.pods(namespace);
    const { signal } = this.#stop;
    const { version } = entry;
    try {
      const status = this.#patchOf(entry);
      if (status) {
        const options = { subresource: 'status', signal };
        const written = await pods.patch(name, 'strategic-merge', { metadata: { uid }, status }, options);
        entry.base = written.status ?? {};
        entry.baseVersion = Number(written.metadata.resourceVersion);
        // The informer's copy may be older than this response.
        if (written.metadata.deletionTimestamp && !isStatic) entry.pod = written;
      }
      entry.writtenVersion = version;
      entry.retryMs = firstRetryMs;
      if (isStatic || !isDeletable(entry)) return;
      await pods.delete(name, { gracePeriodSeconds: 0, preconditions: { uid }, signal });
      this.forget(uid);
    } catch (error) {
      this.#failed(entry, error);
    }
  }

  #failed(entry: Entry, error: unknown): void {
    if (this.#stop.signal.aborted) return;
    const { name, namespace } = entry.pod.metadata;
    // The pod is deleted, or replaced by one with the same name and another uid. Its status no longer matters.
    if (isNotFound(error) || isConflict(error) || isOfOtherUid(error)) {
      if (!isStaticPod(entry.pod)) this.forget(uidOf(entry.pod));
      return;
    }
    this.#options.logger.error('Failed to update status for pod', error, { pod: { namespace, name } });
    // An invalid status is not retried. One example is a pod after a reboot of the node, whose init containers must not run again.
    if (isInvalid(error)) return;
    entry.retry = this.#options.clock.setTimeout(() => this.#enqueue(entry), entry.retryMs);
    entry.retryMs = Math.min(entry.retryMs * 2, longestRetryMs);
  }

  #patchOf({ pod, base, status }: Entry) {
    const { mayRun, clock } = this.#options;
    return statusPatch(base, tellableStatus(pod, base, status, mayRun(uidOf(pod)), clock.now()));
  }
}

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';

/** Returns whether the patched pod has another uid than the patch: the API server answers that the uid cannot change. */
const isOfOtherUid = (error: unknown): boolean =>
  isInvalid(error) && (asApiError(error)?.causes.some(({ field }) => field === 'metadata.uid') ?? false);

const isDeletable = ({ pod, base, isFinished }: Entry): boolean =>
  isFinished && pod.metadata.deletionTimestamp !== undefined && (base.phase === 'Succeeded' || base.phase === 'Failed');
