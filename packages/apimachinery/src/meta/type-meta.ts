import type { ListMeta } from './list-meta.ts';
import type { ObjectMeta } from './object-meta.ts';

/** The kind and version of an object. */
export interface TypeMeta {
  kind?: string;
  apiVersion?: string;
}

/** Any persistent object, built-in or custom. */
export interface KubernetesObject extends TypeMeta {
  metadata?: ObjectMeta;
}

/** A page of objects of one kind. The items have no apiVersion and kind of their own. */
export interface KubernetesList<T = KubernetesObject> extends TypeMeta {
  metadata?: ListMeta;
  items: T[];
}

/** An object reduced to its metadata: the response to metadata-only requests. */
export interface PartialObjectMetadata extends TypeMeta {
  metadata?: ObjectMeta;
}

export type PartialObjectMetadataList = KubernetesList<PartialObjectMetadata>;
