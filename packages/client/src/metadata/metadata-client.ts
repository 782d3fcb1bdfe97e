import type { MetaGroupVersionResource } from '@coxswain/apimachinery/meta';
import type { DynamicResourceOptions } from '../dynamic/dynamic-client.ts';
import type { RESTClient } from '../rest/rest-client.ts';
import { MetadataResource, type MetadataResourceInterface } from './metadata-resource.ts';

/**
 * Clients that see only the metadata of objects, of whatever kind: what garbage collectors, label watchers and the like
 * need, at a fraction of the bytes.
 */
export class MetadataClient {
  readonly #rest: RESTClient;

  constructor(rest: RESTClient) {
    this.#rest = rest;
  }

  /** Cluster-scoped, or in all namespaces until `inNamespace`. */
  resource(
    { group, version, resource }: MetaGroupVersionResource,
    { kind = '', namespaced = true }: DynamicResourceOptions = {},
  ): MetadataResourceInterface {
    return new MetadataResource(this.#rest, { group, version, resource, kind, namespaced });
  }
}
