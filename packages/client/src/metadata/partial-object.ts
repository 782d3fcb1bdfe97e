import type { KubernetesList, PartialObjectMetadata, PartialObjectMetadataList } from '@coxswain/apimachinery/meta';

const apiVersion = 'meta.k8s.io/v1';
const kind = 'PartialObjectMetadata';

/** Returns a PartialObjectMetadata: the object itself if it is one, otherwise its metadata. */
export function partialObject(object: PartialObjectMetadata): PartialObjectMetadata {
  if (object.kind === kind) return object;
  return { kind, apiVersion, ...(object.metadata && { metadata: object.metadata }) };
}

/** Returns a PartialObjectMetadataList from such a list or a list of full objects. */
export function partialList(list: KubernetesList<PartialObjectMetadata>): PartialObjectMetadataList {
  // A server written in Go sends null for the items of an empty PartialObjectMetadataList.
  if (list.kind === `${kind}List`) return Array.isArray(list.items) ? list : { ...list, items: [] };
  const { metadata, items } = list;
  return { kind: `${kind}List`, apiVersion, ...(metadata && { metadata }), items: items.map(partialObject) };
}
