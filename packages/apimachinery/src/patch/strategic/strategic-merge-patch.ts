import { formatValue, type JsonObject, jsonKind } from '../../json/go-value.ts';
import { assertJsonDepth, cloneJson, isJsonObject } from '../../json/index.ts';
import type { StructSchema } from '../../schema/schema.ts';
import { completed, type Steps } from '../../steps/index.ts';
import { conflictYaml } from '../conflict-yaml.ts';
import { PatchConflictError, PatchError, PreconditionFailedError } from '../patch-error.ts';
import type { Precondition } from '../preconditions.ts';
import { mergingMapsHaveConflicts } from './conflicts.ts';
import { type DiffOptions, diffMaps } from './diff.ts';
import { mergeMaps } from './merge-map.ts';
import type { PatchType } from './patch-meta.ts';

const rootOf = (schema: StructSchema): PatchType => ({ schema, pointer: false });

/**
 * Returns the object after a strategic merge patch. The schema states which lists are merged, and by which key. The result shares nothing
 * with object or patch, and neither is modified; null is an empty patch.
 * Throws PatchError: 400 or 422 when the patch is malformed, 500 (as upstream) when it does not fit object or schema.
 */
export const applyStrategicMergePatch = (original: JsonObject, patch: unknown, schema: StructSchema): JsonObject =>
  completed(applyStrategicMergePatchInSteps(original, patch, schema));

/** Like `applyStrategicMergePatch`, in steps. */
export function* applyStrategicMergePatchInSteps(
  original: JsonObject,
  patch: unknown,
  schema: StructSchema,
): Steps<JsonObject> {
  if (patch === null) return cloneJson(original);
  if (!isJsonObject(patch)) {
    throw new PatchError(
      `json: cannot unmarshal ${jsonKind(patch)} into Go value of type map[string]interface {}`,
      400,
    );
  }
  assertJsonDepth(patch);
  yield;
  const merged = yield* mergeMaps(original, patch, rootOf(schema), 'apply');
  yield;
  return cloneJson(merged);
}

/**
 * Returns one strategic merge patch with the effect of all patches, one after the other. Where two change the same field, the later one
 * wins: see mergingMapsHaveConflicts. Throws PatchError when they order one list differently.
 */
export function mergeStrategicMergePatches(schema: StructSchema, ...patches: readonly JsonObject[]): JsonObject {
  const merged = patches.reduce((first, second) => {
    assertJsonDepth(second);
    return completed(mergeMaps(first, second, rootOf(schema), 'combine'));
  }, {});
  return cloneJson(merged);
}

/**
 * Returns the strategic merge patch that turns `original` into `modified`; `{}` when they are equal. Throws PreconditionFailedError, or
 * PatchError when the schema has no field for a difference.
 */
export function createTwoWayMergePatch(
  original: JsonObject,
  modified: JsonObject,
  schema: StructSchema,
  preconditions: readonly Precondition[] = [],
): JsonObject {
  const patch = diff(original, modified, schema, { changes: true, deletions: true, setElementOrder: true });
  assertPreconditions(patch, preconditions);
  return cloneJson(patch);
}

export interface ThreeWayOptions {
  /**
   * Also changes values that differ between `original` and `current`, that is, values that somebody else changed. Otherwise they are
   * conflicts.
   */
  readonly overwrite?: boolean;
  readonly preconditions?: readonly Precondition[];
}

/**
 * Returns the strategic merge patch by which `kubectl apply` brings `current` to `modified`: it contains what `modified` adds or changes,
 * and removes what `original` (the configuration applied last) had and `modified` no longer has. What others added to `current` stays.
 * Throws PreconditionFailedError, PatchConflictError, or PatchError.
 */
export function createThreeWayMergePatch(
  original: JsonObject | undefined,
  modified: JsonObject,
  current: JsonObject,
  schema: StructSchema,
  { overwrite = false, preconditions = [] }: ThreeWayOptions = {},
): JsonObject {
  const base = original ?? {};
  const delta = diff(current, modified, schema, { changes: true, deletions: false, setElementOrder: true });
  const deletions = diff(base, modified, schema, { changes: false, deletions: true, setElementOrder: true });
  const patch = completed(mergeMaps(deletions, delta, rootOf(schema), 'combine'));
  assertPreconditions(patch, preconditions);
  if (!overwrite) {
    const changed = diff(base, current, schema, { changes: true, deletions: true, setElementOrder: false });
    if (mergingMapsHaveConflicts(patch, changed, schema)) {
      throw new PatchConflictError(conflictYaml(patch), conflictYaml(changed));
    }
  }
  return cloneJson(patch);
}

function diff(from: JsonObject, to: JsonObject, schema: StructSchema, options: DiffOptions): JsonObject {
  assertJsonDepth(to);
  return diffMaps(from, to, rootOf(schema), options);
}

function assertPreconditions(patch: JsonObject, preconditions: readonly Precondition[]): void {
  if (preconditions.every((holds) => holds(patch))) return;
  throw new PreconditionFailedError(`precondition failed for: ${formatValue(patch)}`);
}
