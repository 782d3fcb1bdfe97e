import type { Service } from '@coxswain/api/core/v1';
import {
  type ClientSet,
  type Clock,
  type Logger,
  NAMESPACE_INDEX,
  SharedIndexInformer,
  stripManagedFields,
} from '@coxswain/client';

/** The Services of the cluster, whose addresses containers get as environment variables. */
export interface ServiceSource {
  /** True once all Services that existed at the start are known. */
  readonly hasSynced: boolean;
  inNamespace(namespace: string): readonly Service[];
}

export interface InformerServiceSourceOptions {
  readonly clients: ClientSet;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** Watches the Services of the API server. */
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
