import { isJsonObject, setOwnEntry } from '../json/index.ts';
import type { KubernetesObject } from '../meta/index.ts';
import type { Schema } from '../schema/schema.ts';
import { FieldSet } from './field-set.ts';
import { TypedValue } from './typed-value.ts';

/**
 * The configuration a manager last applied, as far as it still owns it: what a controller changes and applies again.
 * Undefined when the manager owns nothing by apply. `object` must be the resource, not one of its subresources;
 * `subresource` names the one the manager applied through. Throws when the entry cannot be read.
 */
export function extractApplied(
  object: KubernetesObject,
  manager: string,
  schema: Schema,
  subresource = '',
): KubernetesObject | undefined {
  const typed = TypedValue.of(object, schema);
  const entry = object.metadata?.managedFields?.find(
    (candidate) =>
      candidate.manager === manager && candidate.operation === 'Apply' && (candidate.subresource ?? '') === subresource,
  );
  if (entry === undefined) return undefined;
  const extracted = withoutNulls(typed.extractItems(FieldSet.fromFieldsV1(entry.fieldsV1).leaves()).value);
  const { apiVersion, kind } = object;
  return { apiVersion, kind, ...(isJsonObject(extracted) ? extracted : {}) };
}

/** What was owned but is not there comes out as null; a configuration that says null would ask for it. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(value)) if (value[key] !== null) setOwnEntry(kept, key, withoutNulls(value[key]));
  return kept;
}
