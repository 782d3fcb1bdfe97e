/** Typed clients for kinds defined by CustomResourceDefinitions. */
export type { KubernetesList, ObjectMeta } from '@coxswain/apimachinery/meta';
export type { ResourceDescription } from '../rest/resource.ts';
export { type CustomResource, type CustomResourceInterface, customResource } from './custom-resource.ts';
