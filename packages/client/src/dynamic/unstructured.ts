import type { KubernetesObject } from '@coxswain/apimachinery/meta';

/** An object of any kind; only apiVersion, kind and metadata are typed. */
export interface Unstructured extends KubernetesObject {
  [key: string]: unknown;
}
