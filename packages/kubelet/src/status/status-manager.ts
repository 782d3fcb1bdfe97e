import type { Pod, PodStatus } from '@coxswain/api/core/v1';
import { isConflict, isInvalid, isNotFound } from '@coxswain/apimachinery/errors';
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
  /** Changes of the same turn are written together; the thread's own by default. */
  readonly eventLoop?: EventLoop;
  readonly logger: Logger;
  /** Anything of the pod may still run. */
  readonly mayRun: (podUid: string) => boolean;
  /** The mirror pod of a static pod, through which the API server learns its status. Without it, there are no static pods. */
  readonly mirrorOf?: ((staticPod: Pod) => Pod | undefined) | undefined;
}

/** What is known of one pod's status, here and at the server. */
interface Entry {
  /** As last seen. */
  pod: Pod;
  status: PodStatus;
  /** Grows with every change of the status. */
  version: number;
  /** The version that the server has; -1 for none. */
  writtenVersion: number;
  /** What the server has, and since which resourceVersion. */
  base: PodStatus;
  baseVersion: number;
  /** Nothing of the pod is left: it may go from the server. */
  isFinished: boolean;
  isWriting: boolean;
  retry: Timer | undefined;
  retryMs: number;
}

const maxWrites = 8;
const firstRetryMs = 1000;
const longestRetryMs = 10_000;

/**
 * Tells the API server how the pods of a node are: only what has changed, the latest only, one write at a time for each pod.
 * A pod that is to be deleted and of which nothing is left is deleted there.
 *
 * Differs from upstream: the server is not asked for the pod before each write, since the patch goes from what it was last
 * seen to have; and a write begins on the next turn of the event loop or when it is asked for, so that what follows at once
 * is one write.
 */
export class StatusManager {
  readonly #options: StatusManagerOptions;
  /** As many as the node has pods. */
  readonly #entries = new Map<string, Entry>();
  readonly #dirty = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  #isDue = false;
  #stop = new AbortController();

  constructor(options: StatusManagerOptions) {
    this.#options = options;
  }

  /** The latest that was set. */
  get(podUid: string): PodStatus | undefined {
    return this.#entries.get(podUid)?.status;
  }

  set(pod: Pod, status: PodStatus): void {
    const entry = this.#entry(pod);
    if (entry.version > 0 && jsonEquals(entry.status, status, { undefinedIsAbsent: true })) return;
    entry.status = status;
    this.#changed(entry);
  }

  /** The pod was never taken: it has failed, and nothing of it is there. */
  reject(pod: Pod, status: PodStatus): void {
    const startTime = pod.status?.startTime ?? timeFromDate(new Date(this.#options.clock.now()));
    this.#entry(pod).isFinished = true;
    this.set(pod, { ...status, startTime });
  }

  /** Nothing of the pod is left. */
  finish(pod: Pod): void {
    const entry = this.#entry(pod);
    entry.status = finishedStatus(pod, entry.status);
    entry.isFinished = true;
    this.#changed(entry);
  }

  /** The server shows the pod so. What others changed of the kubelet's own is set right. */
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

  /** Nothing more is to be said of the pod for now: what was is written without waiting for the next turn. */
  flush(podUid: string): void {
    this.#begin(podUid);
  }

  /** The API server shows the mirror pod of a static pod: its status is compared with that. */
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

  /** Resolves when nothing is under way; what waits is dropped. */
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

  /** Begins as many writes as may be under way. */
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
    // The status of a static pod is written when its mirror pod is there.
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
        // The watch may be behind what was just answered.
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
    // It is gone, or another one has its name: nobody wants to hear of it any more.
    if (isNotFound(error) || isConflict(error)) {
      if (!isStaticPod(entry.pod)) this.forget(uidOf(entry.pod));
      return;
    }
    this.#options.logger.error('Failed to update status for pod', error, { pod: { namespace, name } });
    // What the server will never take is not offered again: a pod that was rebooted may not run init containers anew.
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

const isDeletable = ({ pod, base, isFinished }: Entry): boolean =>
  isFinished && pod.metadata.deletionTimestamp !== undefined && (base.phase === 'Succeeded' || base.phase === 'Failed');
