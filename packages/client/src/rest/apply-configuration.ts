import type { KubernetesObject, ObjectMeta } from '@coxswain/apimachinery/meta';

/**
 * The configuration for server-side apply: any subset of the object's fields, and the object's identity. Enumerations,
 * int-or-string values and maps keep their types.
 */
export type ApplyConfiguration<T extends KubernetesObject> = {
  readonly [K in Exclude<keyof T, 'apiVersion' | 'kind' | 'metadata'>]?: ApplyFields<T[K]>;
} & {
  readonly apiVersion?: T['apiVersion'];
  readonly kind?: T['kind'];
  readonly metadata: ApplyMetadata & { readonly name: string };
};

/** ObjectMeta without managedFields: servers reject configurations that contain it. */
type ApplyMetadata = ApplyFields<Omit<ObjectMeta, 'managedFields'>>;

/**
 * All fields optional, also in list items, which are identified by their key fields. Never null: to give up a field,
 * omit it.
 */
export type ApplyFields<T> = T extends readonly (infer Item)[]
  ? readonly ApplyFields<Item>[]
  : T extends object
    ? { readonly [K in keyof T]?: ApplyFields<T[K]> }
    : T;
