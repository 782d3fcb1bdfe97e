import type { KubernetesObject } from '@coxswain/apimachinery/meta';

/** An object of any kind, of which only is known what all have. */
export interface Unstructured extends KubernetesObject {
  [key: string]: unknown;
}
