import type { RestConfig } from '../config/rest-config.ts';
import { RESTClient } from '../rest/rest-client.ts';
import { ClientSetGroups } from './generated/client-set.ts';

/**
 * Typed clients for every resource of Kubernetes, by group, version and resource.
 *
 * ```ts
 * const clients = ClientSet.forConfig(config);
 * const pod = await clients.core.v1.pods('default').get('web-0');
 * for (const node of (await clients.core.v1.nodes().list()).items) …
 * ```
 *
 * A namespaced resource is called with a namespace, or without one to list and watch all namespaces. A cluster-scoped one
 * is called without arguments. A resource has only the methods that the API serves. Clients are created on first access.
 */
export class ClientSet extends ClientSetGroups {
  /** Creates a ClientSet with a new RESTClient. Close that with `clients.rest.close()`. */
  static forConfig(config: RestConfig, options?: Parameters<typeof RESTClient.forConfig>[1]): ClientSet {
    return new ClientSet(RESTClient.forConfig(config, options));
  }
}
