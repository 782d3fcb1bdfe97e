import type { MetaGroupVersionResource } from '@coxswain/apimachinery/meta';
import type { DynamicResourceOptions } from '../dynamic/dynamic-client.ts';
import type { RESTClient } from '../rest/rest-client.ts';
import { MetadataResource, type MetadataResourceInterface } from './metadata-resource.ts';

/**
 * Clients for the metadata of objects of any kind, for garbage collectors, label watchers and the like. They transfer a
 * fraction of the bytes.
 */
export class MetadataClient {
  readonly #rest: RESTClient;

  constructor(rest: RESTClient) {
    this.#rest = rest;
  }

  /** Addresses a cluster-scoped resource, or all namespaces until `inNamespace`. */
  resource(
    { group, version, resource }: MetaGroupVersionResource,
    { kind = '', namespaced = true }: DynamicResourceOptions = {},
  ): MetadataResourceInterface {
    return new MetadataResource(this.#rest, { group, version, resource, kind, namespaced });
  }
}
