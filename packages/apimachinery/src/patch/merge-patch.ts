import { isList, type JsonObject } from '../json/go-value.ts';
import { assertJsonDepth, cloneJson, isJsonObject, jsonEquals, ownEntry, setOwnEntry } from '../json/index.ts';
import { completed, itemsPerStep, type Steps } from '../steps/index.ts';
import { isEmpty, mapEntries } from './map-entries.ts';
import { PatchError } from './patch-error.ts';

/**
 * Returns the document after a JSON merge patch (RFC 7386). The result shares nothing with document or patch, and neither is modified.
 * Throws PatchError (400) when the patch is neither an object nor a list.
 *
 * As upstream, and unlike the RFC: keys set to null are also dropped from objects inside a list, except where the list replaces an
 * object.
 */
export const applyMergePatch = (document: unknown, patch: unknown): unknown =>
  completed(applyMergePatchInSteps(document, patch));

/** Like `applyMergePatch`, in steps. */
export const applyMergePatchInSteps = (document: unknown, patch: unknown): Steps<unknown> =>
  merge(document, patch, false);

/** Returns one merge patch with the effect of both, one after the other. It keeps nulls. Throws as applyMergePatch does. */
export const mergeMergePatches = (first: unknown, second: unknown): unknown => completed(merge(first, second, true));

function* merge(document: unknown, patch: unknown, keepNulls: boolean): Steps<unknown> {
  if (document === null || document === undefined) throw new PatchError('Invalid JSON Document');
  assertJsonDepth(patch);
  yield;
  if (isList(patch)) return withoutNulls(patch);
  if (!isJsonObject(patch)) throw new PatchError('Invalid JSON Patch', 400);
  return yield* mergeInSteps(isJsonObject(document) ? document : {}, patch, keepNulls);
}

/** Merges a document and a patch that are known to be objects, and not too deep. */
export const mergeObjects = (document: JsonObject, patch: JsonObject): JsonObject =>
  completed(mergeInSteps(document, patch, false));

function* mergeInSteps(document: JsonObject, patch: JsonObject, keepNulls: boolean): Steps<JsonObject> {
  const result: JsonObject = {};
  let met = 0;
  for (const key of Object.keys(document)) {
    const change = ownEntry(patch, key);
    const value =
      change === undefined ? cloneJson(document[key]) : yield* mergeValues(document[key], change, keepNulls);
    if (value !== undefined) setOwnEntry(result, key, value);
    if (++met % itemsPerStep === 0) yield;
  }
  for (const key of Object.keys(patch)) {
    if (ownEntry(document, key) !== undefined) continue;
    const added = yield* mergeValues(null, patch[key], keepNulls);
    if (added !== undefined) setOwnEntry(result, key, added);
    if (++met % itemsPerStep === 0) yield;
  }
  return result;
}

/** Returns undefined when the key is to be absent. */
function* mergeValues(current: unknown, change: unknown, keepNulls: boolean): Steps<unknown> {
  if (change === null) return keepNulls ? null : undefined;
  if (current === null && keepNulls) return cloneJson(change);
  if (!isJsonObject(current)) return withoutNulls(change);
  return isJsonObject(change) ? yield* mergeInSteps(current, change, keepNulls) : cloneJson(change);
}

/** Returns a copy without keys whose value is null. Lists keep their nulls, because their length is data. */
function withoutNulls(value: unknown): unknown {
  if (isList(value)) return value.map(withoutNulls);
  return isJsonObject(value) ? mapEntries(value, (entry) => (entry === null ? undefined : withoutNulls(entry))) : value;
}

/**
 * Returns the merge patch that turns one object into the other; `{}` when they are equal. A merge patch cannot set a null: where `to` has
 * one, applying the patch leaves the key out. Shares nothing with either.
 */
export function createMergePatch(from: JsonObject, to: JsonObject): JsonObject {
  assertJsonDepth(to);
  return difference(from, to);
}

function difference(from: JsonObject, to: JsonObject): JsonObject {
  const patch = mapEntries(to, (value, key) => {
    const before = ownEntry(from, key);
    if (!isJsonObject(value) || !isJsonObject(before)) return jsonEquals(before, value) ? undefined : cloneJson(value);
    const changes = difference(before, value);
    return isEmpty(changes) ? undefined : changes;
  });
  for (const key of Object.keys(from)) {
    if (from[key] !== undefined && ownEntry(to, key) === undefined) setOwnEntry(patch, key, null);
  }
  return patch;
}
