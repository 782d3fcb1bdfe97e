import { isJsonObject, setOwnEntry } from '../json/index.ts';
import type { KubernetesObject } from '../meta/index.ts';
import type { Schema } from '../schema/schema.ts';
import { FieldSet } from './field-set.ts';
import { TypedValue } from './typed-value.ts';

/**
 * The configuration a manager last applied, as far as it still owns it: what a controller changes and applies again.
 * No more than the object's kind and name when the manager owns nothing by apply. `object` must be the resource, not
 * one of its subresources; `subresource` names the one the manager applied through. Throws when the manager's
 * fields cannot be read or the object does not fit the schema.
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

/** What was owned but is not there comes out as null; a configuration that says null would ask for it. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(value)) if (value[key] !== null) setOwnEntry(kept, key, withoutNulls(value[key]));
  return kept;
}
