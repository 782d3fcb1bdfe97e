/*
 * The plain JSON form of kinds and resources, as AdmissionReview, CustomResourceDefinitions and others carry them. The
 * values to compute with are GroupVersionKind and its siblings, which can stand wherever one of these is asked for.
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
