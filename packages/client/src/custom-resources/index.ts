/** Clients for kinds that a CustomResourceDefinition brings, as typed as those of the ClientSet. */
export type { KubernetesList, ObjectMeta } from '@coxswain/apimachinery/meta';
export type { ResourceDescription } from '../rest/resource.ts';
export { type CustomResource, type CustomResourceInterface, customResource } from './custom-resource.ts';
