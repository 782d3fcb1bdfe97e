/** Content types and accepted types that cases send often. */
export const mergePatch = { 'content-type': 'application/merge-patch+json' };
export const jsonPatch = { 'content-type': 'application/json-patch+json' };
export const strategicPatch = { 'content-type': 'application/strategic-merge-patch+json' };
export const applyPatch = { 'content-type': 'application/apply-patch+yaml' };
export const yaml = { 'content-type': 'application/yaml' };
export const protobuf = 'application/vnd.kubernetes.protobuf';
export const asTable = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
export const asMetadata = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' };
export const asMetadataList = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' };
