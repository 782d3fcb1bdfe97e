import type { KubernetesObject, ObjectMeta } from '@coxswain/apimachinery/meta';

/**
 * What server-side apply takes: the fields that the applier cares for, all optional down to the last, and what identifies
 * the object. Enumerations, numbers or names, and maps are as the type has them.
 */
export type ApplyConfiguration<T extends KubernetesObject> = {
  readonly [K in Exclude<keyof T, 'apiVersion' | 'kind' | 'metadata'>]?: ApplyFields<T[K]>;
} & {
  readonly apiVersion?: T['apiVersion'];
  readonly kind?: T['kind'];
  readonly metadata: ApplyMetadata & { readonly name: string };
};

/** Without what only the server sets, and a configuration that has it is refused. */
type ApplyMetadata = ApplyFields<Omit<ObjectMeta, 'managedFields'>>;

/** Every field optional, also inside lists: an item is found by its key fields. Never null: what is left out is given up. */
export type ApplyFields<T> = T extends readonly (infer Item)[]
  ? readonly ApplyFields<Item>[]
  : T extends object
    ? { readonly [K in keyof T]?: ApplyFields<T[K]> }
    : T;
