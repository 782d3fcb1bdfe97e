import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import { type RESTClient, ResourceClient, type ResourceDescription } from '../rest/index.ts';
import { propertyName } from './property-name.ts';
import { SubresourceClient } from './subresource-client.ts';
import { subresources } from './subresources.ts';

type ClientClass = new (
  rest: RESTClient,
  resource: ResourceDescription,
  namespace?: string,
) => ResourceClient<KubernetesObject>;

/** Maximum number of cached clients (namespaces) per resource. */
const mostKnown = 100;

/**
 * Creates the client of a group version from its table. Each line has a resource's name, kind, `n` or `c` for
 * namespaced or cluster-scoped, and the names of its subresources. `Client` must be the interface that is generated
 * with it.
 */
export function groupVersionClient<Client>(rest: RESTClient, group: string, version: string, table: string): Client {
  const client: Record<string, (namespace?: string) => unknown> = {};
  for (const line of table.split('\n')) {
    const [resource, kind, scope, ...below] = line.split(' ') as [string, string, string, ...string[]];
    const description = { group, version, resource, kind, namespaced: scope === 'n' };
    let Class: ClientClass | undefined;
    // Clients are stateless, so they are cached by namespace.
    const known = new Map<string | undefined, ResourceClient<KubernetesObject>>();
    client[propertyName(resource, kind)] = (given) => {
      const namespace = description.namespaced ? given || undefined : undefined;
      const found = known.get(namespace);
      if (found) return found;
      Class ??= clientClass(below);
      const made = new Class(rest, description, namespace);
      if (known.size >= mostKnown) known.clear();
      known.set(namespace, made);
      return made;
    };
  }
  // The interface and the table are generated from the same rows.
  return client as Client;
}

/** Returns a class whose instances have the methods of these subresources. */
export function clientClass(names: readonly string[]): ClientClass {
  if (names.length === 0) return ResourceClient;
  const Class = class extends SubresourceClient<KubernetesObject> {};
  for (const name of names) Object.assign(Class.prototype, subresources.get(name));
  return Class;
}
