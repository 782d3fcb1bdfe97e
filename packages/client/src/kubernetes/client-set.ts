import type { RestConfig } from '../config/rest-config.ts';
import { RESTClient } from '../rest/rest-client.ts';
import { ClientSetGroups } from './generated/client-set.ts';

/**
 * Typed clients for every resource of Kubernetes: group, version, resource, and then its verbs and subresources.
 *
 * ```ts
 * const clients = ClientSet.forConfig(config);
 * const pod = await clients.core.v1.pods('default').get('web-0');
 * for (const node of (await clients.core.v1.nodes().list()).items) …
 * ```
 *
 * A namespaced resource is called with a namespace, or without for list and watch over all of them; a cluster-scoped one
 * is called without. A resource has only the methods that the API serves. Nothing is made before it is asked for.
 */
export class ClientSet extends ClientSetGroups {
  /** With a RESTClient of its own, which `clients.rest.close()` ends. */
  static forConfig(config: RestConfig, options?: Parameters<typeof RESTClient.forConfig>[1]): ClientSet {
    return new ClientSet(RESTClient.forConfig(config, options));
  }
}
