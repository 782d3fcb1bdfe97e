import type { KubernetesObject, ObjectMeta } from '@coxswain/apimachinery/meta';
import { clientClass } from '../kubernetes/group-version-client.ts';
import type { ClusterResource, NamespacedResource, StatusMethods } from '../kubernetes/index.ts';
import type { RESTClient, ResourceDescription, ResourceInterface } from '../rest/index.ts';

/** The shape of most custom resources. Omit `Status` when there is none. */
export interface CustomResource<Spec, Status = never> extends KubernetesObject {
  metadata: ObjectMeta;
  spec: Spec;
  status?: Status;
}

/** The methods of a custom resource. The status methods need the status subresource in its definition. */
export interface CustomResourceInterface<T extends KubernetesObject> extends ResourceInterface<T>, StatusMethods<T> {}

/**
 * A typed client for a custom resource, called like those of the ClientSet:
 *
 * ```ts
 * const cronTabs = customResource<CronTab>(rest, {
 *   group: 'stable.example.com', version: 'v1', resource: 'crontabs', kind: 'CronTab', namespaced: true,
 * });
 * await cronTabs('default').get('nightly');
 * ```
 *
 * Nothing checks that the server's objects have the type `T`. `generateTypes` generates the type and the description
 * from the definition.
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
