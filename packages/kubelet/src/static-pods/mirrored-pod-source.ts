import type { Pod } from '@coxswain/api/core/v1';
import { isAlreadyExists, isConflict, isNotFound } from '@coxswain/apimachinery/errors';
import type { ClientSet, Logger } from '@coxswain/client';
import type { PodHandler, PodSource } from '../pods/pod-source.ts';
import { configHashAnnotation } from './read-static-pods.ts';

const configMirrorAnnotation = 'kubernetes.io/config.mirror';

export interface MirroredPodSourceOptions {
  readonly clients: ClientSet;
  readonly api: PodSource;
  readonly nodeName: string;
  readonly logger: Logger;
  /** Returns the uid of the Node object. Undefined before it is registered. */
  readonly nodeUid: () => string | undefined;
  /** Called when the mirror pod of a static pod was created or has changed. */
  readonly onMirror: (staticPod: Pod, mirror: Pod) => void;
}

/**
 * The pods of a node: those of the API server, and static pods, which come from manifests. Each static pod has a mirror pod in the API
 * server, so that clients can see it. A mirror pod is replaced when it is deleted or no longer matches, and deleted with its static pod.
 */
export class MirroredPodSource implements PodSource {
  readonly #options: MirroredPodSourceOptions;
  /** The keys of both maps are `namespace/name`. */
  readonly #staticPods = new Map<string, Pod>();
  readonly #mirrors = new Map<string, Pod>();
  /** Mirror pods that are being created or deleted. */
  readonly #underWay = new Set<string>();
  #handler: PodHandler | undefined;
  #isReady = false;
  /** Resolves when the manifests have been read once. */
  readonly #manifestsRead: Promise<void>;
  #markRead: () => void = () => {};

  constructor(options: MirroredPodSourceOptions) {
    this.#options = options;
    this.#manifestsRead = new Promise((resolve) => {
      this.#markRead = resolve;
    });
  }

  async whenSynced(signal: AbortSignal): Promise<void> {
    const aborted = new Promise<void>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    await Promise.all([this.#options.api.whenSynced(signal), Promise.race([this.#manifestsRead, aborted])]);
  }

  /** Passes static pods to the handler, also before `subscribe` passes those of the API server to it. */
  subscribeStatic(handler: PodHandler): () => void {
    this.#handler = handler;
    for (const pod of this.#staticPods.values()) handler.onPod(pod);
    return () => {
      this.#handler = undefined;
    };
  }

  subscribe(nodeName: string, handler: PodHandler): () => void {
    const leaveStatic = this.#handler === handler ? undefined : this.subscribeStatic(handler);
    const leave = this.#options.api.subscribe(nodeName, {
      onPod: (pod) => (isMirror(pod) ? this.#observe(pod) : handler.onPod(pod)),
      onPodGone: (pod) => (isMirror(pod) ? this.#gone(pod) : handler.onPodGone(pod)),
    });
    return () => {
      leave();
      leaveStatic?.();
    };
  }

  /** Returns the mirror pod of a static pod. Undefined if there is none yet. */
  mirrorOf(staticPod: Pod): Pod | undefined {
    const mirror = this.#mirrors.get(keyOf(staticPod));
    return mirror && matches(mirror, staticPod) ? mirror : undefined;
  }

  /** Replaces all static pods. */
  setStaticPods(pods: readonly Pod[]): void {
    const wanted = new Map(pods.map((pod) => [keyOf(pod), pod]));
    for (const [key, pod] of this.#staticPods) {
      if (wanted.get(key)?.metadata.uid === pod.metadata.uid) continue;
      this.#staticPods.delete(key);
      this.#handler?.onPodGone(pod);
    }
    for (const [key, pod] of wanted) {
      if (this.#staticPods.has(key)) continue;
      this.#staticPods.set(key, pod);
      this.#handler?.onPod(pod);
    }
    this.#markRead();
    this.reconcile();
  }

  /** Starts creating and deleting mirror pods. Called when the node is registered and all pods of the API server are known. */
  start(): void {
    this.#isReady = true;
    this.reconcile();
  }

  /** Creates and deletes mirror pods where needed. Failures are retried with the next call. */
  reconcile(): void {
    if (!this.#isReady) return;
    for (const key of new Set([...this.#staticPods.keys(), ...this.#mirrors.keys()])) void this.#reconcile(key);
  }

  #observe(mirror: Pod): void {
    const key = keyOf(mirror);
    this.#mirrors.set(key, mirror);
    const staticPod = this.#staticPods.get(key);
    if (staticPod && matches(mirror, staticPod)) this.#options.onMirror(staticPod, mirror);
    if (this.#isReady) void this.#reconcile(key);
  }

  #gone(mirror: Pod): void {
    const key = keyOf(mirror);
    if (this.#mirrors.get(key)?.metadata.uid === mirror.metadata.uid) this.#mirrors.delete(key);
    if (this.#isReady) void this.#reconcile(key);
  }

  async #reconcile(key: string): Promise<void> {
    const staticPod = this.#staticPods.get(key);
    const mirror = this.#mirrors.get(key);
    const isRight = staticPod ? mirror && matches(mirror, staticPod) && !mirror.metadata.deletionTimestamp : !mirror;
    if (isRight || this.#underWay.has(key)) return;
    this.#underWay.add(key);
    try {
      if (mirror) await this.#delete(mirror);
      else if (staticPod) await this.#create(staticPod);
    } catch (error) {
      this.#options.logger.error('Failed to reconcile mirror pod', error, { pod: key });
    } finally {
      this.#underWay.delete(key);
    }
  }

  async #create(staticPod: Pod): Promise<void> {
    const { clients, nodeName, nodeUid } = this.#options;
    const uid = nodeUid();
    if (uid === undefined) return;
    const { name, namespace, labels, annotations } = staticPod.metadata;
    const mirror: Pod = {
      metadata: {
        name: name!,
        namespace: namespace!,
        ...(labels && { labels }),
        annotations: { ...annotations, [configMirrorAnnotation]: annotations?.[configHashAnnotation] ?? '' },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid, controller: true }],
      },
      spec: staticPod.spec!,
    };
    await clients.core.v1
      .pods(namespace!)
      .create(mirror)
      .catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
  }

  async #delete({ metadata: { name, namespace, uid } }: Pod): Promise<void> {
    await this.#options.clients.core.v1
      .pods(namespace!)
      .delete(name!, { gracePeriodSeconds: 0, preconditions: { uid: uid! } })
      .catch((error: unknown) => {
        if (!isNotFound(error) && !isConflict(error)) throw error;
      });
  }
}

const keyOf = ({ metadata: { namespace, name } }: Pod): string => `${namespace}/${name}`;

const isMirror = ({ metadata: { annotations } }: Pod): boolean => annotations?.[configMirrorAnnotation] !== undefined;

const matches = (mirror: Pod, staticPod: Pod): boolean =>
  mirror.metadata.annotations?.[configMirrorAnnotation] === staticPod.metadata.annotations?.[configHashAnnotation];
