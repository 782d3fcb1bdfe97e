import { type KubernetesObject, type MetaGroupVersionResource, NAMESPACE_DEFAULT } from '@coxswain/apimachinery/meta';
import type { DeferredRESTMapper } from '../discovery/deferred-rest-mapper.ts';
import type { CallOptions } from '../rest/call-options.ts';
import type { RESTClient } from '../rest/rest-client.ts';
import { describeKind, mapperFor } from './describe-kind.ts';
import { DynamicResource, type DynamicResourceInterface } from './dynamic-resource.ts';

export interface DynamicClientOptions {
  /** From kinds to resources; by default one that reads the server's discovery when first needed. */
  readonly mapper?: DeferredRESTMapper;
  /** Where objects go that live in a namespace and name none; `default` when not given. */
  readonly defaultNamespace?: string;
}

/** What may be known of a resource beside its name. */
export interface DynamicResourceOptions {
  /** Completes objects that do not say their kind. */
  readonly kind?: string;
  readonly namespaced?: boolean;
}

/**
 * Clients for resources of any kind, known beforehand or not: custom resources, or whatever a user names.
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

  /** A resource by its name, without asking the server: cluster-scoped, or in all namespaces until `inNamespace`. */
  resource(
    { group, version, resource }: MetaGroupVersionResource,
    { kind = '', namespaced = true }: DynamicResourceOptions = {},
  ): DynamicResourceInterface {
    return new DynamicResource(this.#rest, { group, version, resource, kind, namespaced });
  }

  /** The resource of a kind, by discovery. Rejects with NoKindMatchError when the server does not have the kind. */
  async forKind(apiVersion: string, kind: string, options?: CallOptions): Promise<DynamicResourceInterface> {
    return new DynamicResource(this.#rest, await describeKind(this.#mapper, { apiVersion, kind }, options));
  }

  /**
   * The resource that an object belongs to, in the object's namespace. Rejects with an Error when the object does not
   * say its apiVersion and kind, and as `forKind` does.
   */
  async forObject(object: KubernetesObject, options?: CallOptions): Promise<DynamicResourceInterface> {
    const resource = await describeKind(this.#mapper, object, options);
    const namespace = resource.namespaced ? object.metadata?.namespace || this.#defaultNamespace : undefined;
    return new DynamicResource(this.#rest, resource, namespace);
  }
}
