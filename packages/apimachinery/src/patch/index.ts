// Changes to existing objects: JSON patch (`json-patch.ts`), merge patch (`merge-patch.ts`) and strategic merge patch (`strategic/`), and
// how client-side apply creates the latter two. Server-side apply is in `apply/`.
export { createJsonPatch } from './create-json-patch.ts';
export { encodeSortedJson } from './encode-sorted-json.ts';
export { applyJsonPatch, applyJsonPatchInSteps, type JsonPatchLimits, type JsonPatchOperation } from './json-patch.ts';
export { formatJsonPointer, parseJsonPointer } from './json-pointer.ts';
export {
  getModifiedConfiguration,
  getOriginalConfiguration,
  LAST_APPLIED_CONFIG_ANNOTATION,
  setLastAppliedAnnotation,
} from './last-applied.ts';
export { applyMergePatch, applyMergePatchInSteps, createMergePatch, mergeMergePatches } from './merge-patch.ts';
export {
  interpretPatchError,
  PatchConflictError,
  PatchError,
  type PatchErrorCode,
  PreconditionFailedError,
} from './patch-error.ts';
export { type Precondition, requireKeyUnchanged, requireMetadataKeyUnchanged } from './preconditions.ts';
export { mergingMapsHaveConflicts } from './strategic/conflicts.ts';
export {
  applyStrategicMergePatch,
  applyStrategicMergePatchInSteps,
  createThreeWayMergePatch,
  createTwoWayMergePatch,
  mergeStrategicMergePatches,
  type ThreeWayOptions,
} from './strategic/strategic-merge-patch.ts';
export { assertMergePatchObject, strictJsonPatchErrors } from './strict-patch.ts';
export { createThreeWayJsonMergePatch, hasConflicts } from './three-way-json-merge.ts';
