/**
 * A namespaced resource: called with a namespace for all that it serves there, without for what there is over all
 * namespaces, which is list and watch. The empty string is as none.
 */
export interface NamespacedResource<Client> {
  (namespace: string): Client;
  (namespace?: string): AllNamespaces<Client>;
}

/** What a client of a namespaced resource can do over all namespaces. */
export type AllNamespaces<Client> = Pick<Client, Extract<keyof Client, 'resource' | 'namespace' | 'list' | 'watch'>>;

/** A namespaced resource that cannot be listed, so there is nothing to do without a namespace. */
export type InNamespaceOnly<Client> = (namespace: string) => Client;

/** A resource without namespaces; called all the same, so that every resource is reached in one way. */
export type ClusterResource<Client> = () => Client;
