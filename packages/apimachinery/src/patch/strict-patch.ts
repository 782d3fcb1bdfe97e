import { isList, jsonKind } from '../json/go-value.ts';
import { isJsonObject } from '../json/index.ts';
import { PatchError } from './patch-error.ts';

const operationFields: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

/**
 * Returns the errors of an API server's field validation (`Warn` or `Strict`) for a JSON patch: one for each unknown field. Throws
 * PatchError (400) when it is not a JSON patch. null is an empty patch.
 */
export function strictJsonPatchErrors(patch: unknown): string[] {
  if (patch === null) return [];
  if (!isList(patch)) throw cannotDecode(patch, 'Go value of type []handlers.jsonPatchOp');
  return patch.flatMap((operation, index) => {
    if (operation === null) return [];
    if (!isJsonObject(operation)) throw cannotDecode(operation, 'Go value of type handlers.jsonPatchOp');
    for (const field of ['op', 'path', 'from']) {
      const value = operation[field] ?? null;
      if (value !== null && typeof value !== 'string') {
        throw cannotDecode(value, `Go struct field jsonPatchOp.${field} of type string`);
      }
    }
    const unknown = Object.keys(operation).filter((field) => !operationFields.has(field));
    return unknown.map((field) => `json patch unknown field "[${index}].${field}"`);
  });
}

/** Throws PatchError (400) when a merge patch is not an object. Accepts null: applying it fails. */
export function assertMergePatchObject(patch: unknown): void {
  if (patch !== null && !isJsonObject(patch)) throw cannotDecode(patch, 'Go value of type map[string]interface {}');
}

const cannotDecode = (value: unknown, target: string): PatchError =>
  new PatchError(`error decoding patch: json: cannot unmarshal ${jsonKind(value)} into ${target}`, 400);
