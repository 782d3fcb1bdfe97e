import { formatValue, isList, type JsonObject } from '../json/go-value.ts';
import { isJsonObject, ownEntry } from '../json/index.ts';
import { conflictYaml } from './conflict-yaml.ts';
import { isEmpty, mapEntries } from './map-entries.ts';
import { createMergePatch, mergeObjects } from './merge-patch.ts';
import { PatchConflictError, PatchError } from './patch-error.ts';
import type { Precondition } from './preconditions.ts';

/**
 * Returns the merge patch by which `kubectl apply` brings a custom resource from `current` to `modified`: it contains what `modified`
 * adds or changes, and removes what `original` (the configuration applied last) had and `modified` no longer has. What others added to
 * `current` stays.
 *
 * Throws PatchConflictError when additions and removals conflict, and PatchError when a precondition fails. The latter is not a
 * PreconditionFailedError, because upstream has a plain error here.
 */
export function createThreeWayJsonMergePatch(
  original: JsonObject | undefined,
  modified: JsonObject,
  current: JsonObject,
  preconditions: readonly Precondition[] = [],
): JsonObject {
  const changes = withoutDeletions(createMergePatch(current, modified));
  const deletions = onlyDeletions(createMergePatch(original ?? {}, modified));
  if (hasConflicts(changes, deletions)) throw new PatchConflictError(conflictYaml(changes), conflictYaml(deletions));
  const patch = mergeObjects(deletions, changes);
  if (!preconditions.every((holds) => holds(patch))) {
    throw new PatchError(`precondition failed for: ${formatValue(patch)}`);
  }
  return patch;
}

/** Filters the values of a patch recursively. An empty object is a value; an object that becomes empty is dropped. */
function filterDeep(patch: JsonObject, keep: (value: unknown) => boolean): JsonObject {
  return mapEntries(patch, (value) => {
    if (!isJsonObject(value) || isEmpty(value)) return keep(value) ? value : undefined;
    const filtered = filterDeep(value, keep);
    return isEmpty(filtered) ? undefined : filtered;
  });
}

const withoutDeletions = (patch: JsonObject): JsonObject => filterDeep(patch, (value) => value !== null);
const onlyDeletions = (patch: JsonObject): JsonObject => filterDeep(patch, (value) => value === null);

/** Whether two JSON merge patches set a key to different values. A key in only one of them is no conflict. */
export function hasConflicts(left: unknown, right: unknown): boolean {
  if (isJsonObject(left)) {
    if (!isJsonObject(right)) return true;
    return Object.keys(left).some((key) => {
      const other = ownEntry(right, key);
      return other !== undefined && hasConflicts(left[key], other);
    });
  }
  if (!isList(left)) return left !== right;
  return !isList(right) || left.length !== right.length || left.some((item, index) => hasConflicts(item, right[index]));
}
