import type { Pod } from '@coxswain/api/core/v1';
import {
  type ClientSet,
  type Clock,
  deletedObject,
  type Logger,
  SharedIndexInformer,
  stripManagedFields,
} from '@coxswain/client';
import type { PodHandler, PodSource } from './pod-source.ts';

export interface InformerPodSourceOptions {
  readonly clients: ClientSet;
  /** Watches only the pods of this node. If absent, one watch serves all nodes of a fleet. */
  readonly nodeName?: string;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** Watches pods at the API server and passes each to the handler of its node. */
export class InformerPodSource implements PodSource {
  readonly #informer: SharedIndexInformer<Pod>;
  readonly #handlers = new Map<string, PodHandler>();
  /** True once the initial list is complete. Handlers get no pod before: they must get the oldest pods first. */
  #isReleased = false;

  constructor({ clients, nodeName, clock, logger }: InformerPodSourceOptions) {
    const pods = clients.core.v1.pods();
    const fieldSelector = nodeName === undefined ? 'spec.nodeName!=' : `spec.nodeName=${nodeName}`;
    this.#informer = new SharedIndexInformer<Pod>(
      {
        list: (options) => pods.list({ ...options, fieldSelector }),
        watch: (options) => pods.watch({ ...options, fieldSelector }),
      },
      {
        name: 'pods',
        transform: stripManagedFields,
        indexers: { node: ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []) },
        ...(clock && { clock }),
        ...(logger && { logger }),
      },
    );
    this.#informer.addEventHandler({
      onAdd: (pod) => this.#handlerOf(pod)?.onPod(pod),
      onUpdate: (_, pod) => this.#handlerOf(pod)?.onPod(pod),
      onDelete: (deleted) => {
        const pod = deletedObject(deleted);
        this.#handlerOf(pod)?.onPodGone(pod);
      },
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#informer.run(signal), this.whenSynced(signal).catch(() => undefined)]);
  }

  async whenSynced(signal: AbortSignal): Promise<void> {
    await this.#informer.whenSynced(signal);
    if (this.#isReleased) return;
    this.#isReleased = true;
    for (const [nodeName, handler] of this.#handlers) this.#passOn(nodeName, handler);
  }

  subscribe(nodeName: string, handler: PodHandler): () => void {
    this.#handlers.set(nodeName, handler);
    if (this.#isReleased) this.#passOn(nodeName, handler);
    return () => {
      if (this.#handlers.get(nodeName) === handler) this.#handlers.delete(nodeName);
    };
  }

  /** The oldest pods come first: a node admits pods in this order, and may not have enough resources for all. */
  #passOn(nodeName: string, handler: PodHandler): void {
    for (const pod of this.#informer.indexer.byIndex('node', nodeName).toSorted(byAge)) handler.onPod(pod);
  }

  #handlerOf({ spec }: Pod): PodHandler | undefined {
    return spec?.nodeName === undefined || !this.#isReleased ? undefined : this.#handlers.get(spec.nodeName);
  }
}

function byAge({ metadata: a }: Pod, { metadata: b }: Pod): number {
  const [timeA, timeB] = [a.creationTimestamp ?? '', b.creationTimestamp ?? ''];
  return timeA < timeB ? -1 : timeA > timeB ? 1 : 0;
}
