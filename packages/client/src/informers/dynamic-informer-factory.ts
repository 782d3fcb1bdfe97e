import type { KubernetesObject, MetaGroupVersionResource, PartialObjectMetadata } from '@coxswain/apimachinery/meta';
import type { Unstructured } from '../dynamic/unstructured.ts';
import { InformerSet, type InformerWithLister, type SharedInformerFactoryOptions } from './informer-set.ts';
import type { ListerWatcher } from './lister-watcher.ts';

/** Returns a client for any resource by name: a `DynamicClient` or a `MetadataClient`. */
interface ResourceClients<T extends KubernetesObject> {
  resource(resource: MetaGroupVersionResource): ListerWatcher<T> & { inNamespace(namespace: string): ListerWatcher<T> };
}

/** Makes and shares one informer for each resource that is requested by name; its type need not be known. */
export class DynamicSharedInformerFactory<T extends KubernetesObject = Unstructured> extends InformerSet {
  readonly #clients: ResourceClients<T>;

  constructor(clients: ResourceClients<T>, options?: SharedInformerFactoryOptions) {
    super(options);
    this.#clients = clients;
  }

  forResource(resource: MetaGroupVersionResource): InformerWithLister<T> {
    return this.member(resource, () => {
      const client = this.#clients.resource(resource);
      return this.namespace === undefined ? client : client.inNamespace(this.namespace);
    });
  }
}

/** A `DynamicSharedInformerFactory` over a `MetadataClient`: its caches hold only metadata. */
export class MetadataSharedInformerFactory extends DynamicSharedInformerFactory<PartialObjectMetadata> {}
