import type { KubernetesObject, ObjectMeta } from '@coxswain/apimachinery/meta';
import { clientClass } from '../kubernetes/group-version-client.ts';
import type { ClusterResource, NamespacedResource, StatusMethods } from '../kubernetes/index.ts';
import type { RESTClient, ResourceDescription, ResourceInterface } from '../rest/index.ts';

/** The form of nearly every custom resource. `Status` is left out where there is none. */
export interface CustomResource<Spec, Status = never> extends KubernetesObject {
  metadata: ObjectMeta;
  spec: Spec;
  status?: Status;
}

/** What a custom resource can do; `updateStatus` and its like only where its definition has the status subresource. */
export interface CustomResourceInterface<T extends KubernetesObject> extends ResourceInterface<T>, StatusMethods<T> {}

/**
 * A typed client for a custom resource, called as those of the ClientSet are:
 *
 * ```ts
 * const cronTabs = customResource<CronTab>(rest, {
 *   group: 'stable.example.com', version: 'v1', resource: 'crontabs', kind: 'CronTab', namespaced: true,
 * });
 * await cronTabs('default').get('nightly');
 * ```
 *
 * The type is taken at its word: nothing checks that the server's objects are of it. `generateTypes` makes it, and the
 * description, from the definition.
 */
export function customResource<T extends KubernetesObject>(
  rest: RESTClient,
  resource: ResourceDescription & { readonly namespaced: true },
): NamespacedResource<CustomResourceInterface<T>>;
export function customResource<T extends KubernetesObject>(
  rest: RESTClient,
  resource: ResourceDescription & { readonly namespaced: false },
): ClusterResource<CustomResourceInterface<T>>;
export function customResource(rest: RESTClient, resource: ResourceDescription): (namespace?: string) => unknown {
  const Client = clientClass(['status']);
  return (namespace) => new Client(rest, resource, resource.namespaced ? namespace || undefined : undefined);
}
