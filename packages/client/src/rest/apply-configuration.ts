import type { KubernetesObject, ObjectMeta } from '@coxswain/apimachinery/meta';

/**
 * What server-side apply takes: the fields that the applier cares for, all optional down to the last, and what identifies
 * the object. Whole lists and maps are as the type has them; the server merges them by their keys.
 */
export type ApplyConfiguration<T extends KubernetesObject> = {
  readonly [K in Exclude<keyof T, 'apiVersion' | 'kind' | 'metadata'>]?: ApplyFields<T[K]>;
} & {
  readonly apiVersion?: T['apiVersion'];
  readonly kind?: T['kind'];
  readonly metadata: ApplyFields<Omit<ObjectMeta, 'managedFields'>> & { readonly name: string };
};

/** Every field optional, also inside lists: an item is found by its key fields. */
export type ApplyFields<T> = T extends readonly (infer I)[]
  ? readonly ApplyFields<I>[]
  : T extends object
    ? { readonly [K in keyof T]?: ApplyFields<T[K]> }
    : T;
