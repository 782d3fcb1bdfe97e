/**
 * A namespaced resource. Call it with a namespace for all methods, or without one to list and watch all namespaces. The
 * empty string means all namespaces.
 */
export interface NamespacedResource<Client> {
  (namespace: string): Client;
  (namespace?: string): AllNamespaces<Client>;
}

/** The methods of a namespaced resource that work on all namespaces. */
export type AllNamespaces<Client> = Pick<Client, Extract<keyof Client, 'resource' | 'namespace' | 'list' | 'watch'>>;

/** A namespaced resource that cannot be listed, so a namespace is required. */
export type InNamespaceOnly<Client> = (namespace: string) => Client;

/** A cluster-scoped resource. A function, so that all resources are accessed in the same way. */
export type ClusterResource<Client> = () => Client;
