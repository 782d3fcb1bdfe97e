import type { Service } from '@coxswain/api/core/v1';
import {
  type ClientSet,
  type Clock,
  type Logger,
  NAMESPACE_INDEX,
  SharedIndexInformer,
  stripManagedFields,
} from '@coxswain/client';

/** The services of the cluster, which containers find by variables. */
export interface ServiceSource {
  /** Whether all services that existed at the start are known. */
  readonly hasSynced: boolean;
  inNamespace(namespace: string): readonly Service[];
}

export interface InformerServiceSourceOptions {
  readonly clients: ClientSet;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** Watches services at the API server. */
export class InformerServiceSource implements ServiceSource {
  readonly #informer: SharedIndexInformer<Service>;

  constructor({ clients, clock, logger }: InformerServiceSourceOptions) {
    const services = clients.core.v1.services();
    this.#informer = new SharedIndexInformer<Service>(
      { list: (options) => services.list(options), watch: (options) => services.watch(options) },
      {
        name: 'services',
        transform: stripManagedFields,
        ...(clock && { clock }),
        ...(logger && { logger }),
      },
    );
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#informer.run(signal);
  }

  get hasSynced(): boolean {
    return this.#informer.hasSynced();
  }

  inNamespace(namespace: string): readonly Service[] {
    return this.#informer.indexer.byIndex(NAMESPACE_INDEX, namespace);
  }
}
