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

  run(signal: AbortSignal): Promise<void> {
    return this.#informer.run(signal);
  }

  whenSynced(signal: AbortSignal): Promise<void> {
    return this.#informer.whenSynced(signal);
  }

  subscribe(nodeName: string, handler: PodHandler): () => void {
    this.#handlers.set(nodeName, handler);
    for (const pod of this.#informer.indexer.byIndex('node', nodeName)) handler.onPod(pod);
    return () => {
      if (this.#handlers.get(nodeName) === handler) this.#handlers.delete(nodeName);
    };
  }

  #handlerOf({ spec }: Pod): PodHandler | undefined {
    return spec?.nodeName === undefined ? undefined : this.#handlers.get(spec.nodeName);
  }
}
