import type { ListMeta } from './list-meta.ts';
import type { ObjectMeta } from './object-meta.ts';

/** What an object is, at the top of its JSON. */
export interface TypeMeta {
  kind?: string;
  apiVersion?: string;
}

/** Any persistent object: built-in or custom, whatever else it holds. */
export interface KubernetesObject extends TypeMeta {
  metadata?: ObjectMeta;
}

/** A page of objects of one kind. Items inside a list carry no apiVersion and kind of their own. */
export interface KubernetesList<T = KubernetesObject> extends TypeMeta {
  metadata?: ListMeta;
  items: T[];
}

/** An object reduced to what every kind has; what metadata-only requests answer. */
export interface PartialObjectMetadata extends TypeMeta {
  metadata?: ObjectMeta;
}

export type PartialObjectMetadataList = KubernetesList<PartialObjectMetadata>;
