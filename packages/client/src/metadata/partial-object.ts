import type { KubernetesList, PartialObjectMetadata, PartialObjectMetadataList } from '@coxswain/apimachinery/meta';

const apiVersion = 'meta.k8s.io/v1';
const kind = 'PartialObjectMetadata';

/** The object as it is when the server sent metadata only, else what is left of it. */
export function partialObject(object: PartialObjectMetadata): PartialObjectMetadata {
  if (object.kind === kind) return object;
  return { kind, apiVersion, ...(object.metadata && { metadata: object.metadata }) };
}

/** The same for a list and the objects in it. */
export function partialList(list: KubernetesList<PartialObjectMetadata>): PartialObjectMetadataList {
  // A list of nothing has null for its items, when a server written in Go made it of metadata only.
  if (list.kind === `${kind}List`) return Array.isArray(list.items) ? list : { ...list, items: [] };
  const { metadata, items } = list;
  return { kind: `${kind}List`, apiVersion, ...(metadata && { metadata }), items: items.map(partialObject) };
}
