import { type KubernetesObject, type MetaGroupVersionResource, NAMESPACE_DEFAULT } from '@coxswain/apimachinery/meta';
import type { DeferredRESTMapper } from '../discovery/deferred-rest-mapper.ts';
import type { CallOptions } from '../rest/call-options.ts';
import type { RESTClient } from '../rest/rest-client.ts';
import { describeKind, mapperFor } from './describe-kind.ts';
import { DynamicResource, type DynamicResourceInterface } from './dynamic-resource.ts';

export interface DynamicClientOptions {
  /** Maps kinds to resources. By default a mapper that reads the server's discovery on first use. */
  readonly mapper?: DeferredRESTMapper;
  /** The namespace of namespaced objects that name none; `default` if not given. */
  readonly defaultNamespace?: string;
}

/** Optional knowledge about a resource. */
export interface DynamicResourceOptions {
  /** The kind to set in objects that have none. */
  readonly kind?: string;
  readonly namespaced?: boolean;
}

/**
 * Clients for resources of any kind, without their types: custom resources, or resources that a user names.
 *
 * ```ts
 * const cronTabs = dynamic.resource({ group: 'stable.example.com', version: 'v1', resource: 'crontabs' });
 * await cronTabs.inNamespace('default').get('mine');
 * const configMaps = await dynamic.forKind('v1', 'ConfigMap');
 * ```
 */
export class DynamicClient {
  readonly #rest: RESTClient;
  readonly #mapper: DeferredRESTMapper;
  readonly #defaultNamespace: string;

  constructor(rest: RESTClient, { mapper, defaultNamespace = NAMESPACE_DEFAULT }: DynamicClientOptions = {}) {
    this.#rest = rest;
    this.#mapper = mapper ?? mapperFor(rest);
    this.#defaultNamespace = defaultNamespace;
  }

  /**
   * A resource by its name, without discovery. Addresses a cluster-scoped resource, or all namespaces until
   * `inNamespace`.
   */
  resource(
    { group, version, resource }: MetaGroupVersionResource,
    { kind = '', namespaced = true }: DynamicResourceOptions = {},
  ): DynamicResourceInterface {
    return new DynamicResource(this.#rest, { group, version, resource, kind, namespaced });
  }

  /**
   * Finds the resource of a kind by discovery. Rejects with NoKindMatchError when the server does not have the kind.
   */
  async forKind(apiVersion: string, kind: string, options?: CallOptions): Promise<DynamicResourceInterface> {
    return new DynamicResource(this.#rest, await describeKind(this.#mapper, { apiVersion, kind }, options));
  }

  /**
   * Finds the resource of an object, in the object's namespace. Rejects with an Error when the object has no apiVersion
   * or kind, and like `forKind`.
   */
  async forObject(object: KubernetesObject, options?: CallOptions): Promise<DynamicResourceInterface> {
    const resource = await describeKind(this.#mapper, object, options);
    const namespace = resource.namespaced ? object.metadata?.namespace || this.#defaultNamespace : undefined;
    return new DynamicResource(this.#rest, resource, namespace);
  }
}
