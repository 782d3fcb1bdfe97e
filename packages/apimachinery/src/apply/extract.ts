import { isJsonObject, setOwnEntry } from '../json/index.ts';
import type { KubernetesObject } from '../meta/index.ts';
import type { Schema } from '../schema/schema.ts';
import { FieldSet } from './field-set.ts';
import { TypedValue } from './typed-value.ts';

/**
 * Returns the fields that the manager applied and still owns, as a configuration that a controller can change and apply again. Returns
 * only apiVersion, kind, name and namespace when the manager has no Apply entry. `object` must be the resource, not one of its
 * subresources; `subresource` names the one the manager applied through. Throws when the manager's fields cannot be decoded or the object
 * does not fit the schema.
 */
export function extractApplied(
  object: KubernetesObject,
  manager: string,
  schema: Schema,
  subresource = '',
): KubernetesObject {
  const { apiVersion, kind, metadata: { name, namespace, managedFields } = {} } = object;
  const typed = TypedValue.of(object, schema);
  const entry = managedFields?.find(
    (candidate) =>
      candidate.manager === manager && candidate.operation === 'Apply' && (candidate.subresource ?? '') === subresource,
  );
  const fields = entry === undefined ? FieldSet.empty : FieldSet.fromFieldsV1(entry.fieldsV1).leaves();
  const owned = withoutNulls(typed.extractItems(fields).value);
  const extracted = isJsonObject(owned) ? owned : {};
  const metadata = {
    name,
    ...(namespace ? { namespace } : {}),
    ...(isJsonObject(extracted.metadata) ? extracted.metadata : {}),
  };
  return { apiVersion, kind, ...extracted, metadata };
}

/** Removes nulls. `extractItems` returns null for a map or list without owned content, and applying a null would claim the field. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(value)) if (value[key] !== null) setOwnEntry(kept, key, withoutNulls(value[key]));
  return kept;
}
