/*
 * The plain JSON form of kinds and resources, as in AdmissionReview, CustomResourceDefinitions and others. GroupVersionKind and its
 * siblings are meant for computing, and can be used in the place of these types.
 */

export interface MetaGroupKind {
  group: string;
  kind: string;
}

export interface MetaGroupResource {
  group: string;
  resource: string;
}

export interface MetaGroupVersion {
  group: string;
  version: string;
}

export interface MetaGroupVersionKind {
  group: string;
  version: string;
  kind: string;
}

export interface MetaGroupVersionResource {
  group: string;
  version: string;
  resource: string;
}
