import { isList, jsonKind } from '../json/go-value.ts';
import { isJsonObject } from '../json/index.ts';
import { PatchError } from './patch-error.ts';

const operationFields: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

/**
 * What an API server notes about a JSON patch when fields are validated (`Warn` or `Strict`): one entry for each
 * unknown field. Throws PatchError (400) when it is no patch at all. null is an empty patch.
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

/** The same for a merge patch, which can only fail to be an object. null passes here: applying it fails. */
export function assertMergePatchObject(patch: unknown): void {
  if (patch !== null && !isJsonObject(patch)) throw cannotDecode(patch, 'Go value of type map[string]interface {}');
}

const cannotDecode = (value: unknown, target: string): PatchError =>
  new PatchError(`error decoding patch: json: cannot unmarshal ${jsonKind(value)} into ${target}`, 400);
