import { isJsonObject, jsonEquals } from '@coxswain/apimachinery';
import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';
import { additionalSchema, itemSchema, propertySchema } from './schema-visitor.ts';
import { uncorrelated } from './validation-run.ts';

/** The old value of a key; `uncorrelated` where there was none. */
export const oldOfKey = (old: unknown, key: string): unknown =>
  isJsonObject(old) && Object.hasOwn(old, key) ? old[key] : uncorrelated;

/** Finds the old item that has the keys of a new one; items of other lists than maps belong to no old one. */
export function oldItems(schema: JSONSchemaProps, old: unknown): ((item: unknown) => unknown) | undefined {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (schema['x-kubernetes-list-type'] !== 'map' || keys.length === 0 || !Array.isArray(old)) return undefined;
  const byKey = new Map<string, unknown>();
  for (const item of old) {
    const key = keyOf(item, keys);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, item);
  }
  return (item) => {
    const key = keyOf(item, keys);
    return key === undefined ? uncorrelated : (byKey.get(key) ?? uncorrelated);
  };
}

/** Undefined when the item has not all the keys, each with a scalar. */
function keyOf(item: unknown, keys: readonly string[]): string | undefined {
  if (!isJsonObject(item)) return undefined;
  let text = '';
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? item[key] : undefined;
    if (value === undefined || value === null || typeof value === 'object') return undefined;
    text += `${typeof value}${JSON.stringify(String(value))}`;
  }
  return text;
}

/**
 * Whether an update left a value as it was. Maps that are lists may have changed their order; an object with fields
 * that its schema does not name never counts as unchanged.
 */
export function isUnchanged(
  schema: JSONSchemaProps,
  value: unknown,
  old: unknown,
  known: Map<object, boolean>,
): boolean {
  if (old === uncorrelated) return false;
  if (typeof value !== 'object' || value === null) return jsonEquals(value, old);
  const before = known.get(value);
  if (before !== undefined) return before;
  const result = compare(schema, value, old, known);
  known.set(value, result);
  return result;
}

function compare(schema: JSONSchemaProps, value: object, old: unknown, known: Map<object, boolean>): boolean {
  if (Array.isArray(value)) {
    if (!Array.isArray(old) || old.length !== value.length) return false;
    const oldOf = oldItems(schema, old);
    const items = itemSchema(schema);
    if (!oldOf || !items) return jsonEquals(value, old);
    return value.every((item) => isUnchanged(items, item, oldOf(item), known));
  }
  if (!isJsonObject(value) || !isJsonObject(old)) return false;
  const keys = Object.keys(value);
  return (
    keys.length === Object.keys(old).length &&
    keys.every((key) => {
      const child = propertySchema(schema, key) ?? additionalSchema(schema);
      return child !== undefined && isUnchanged(child, value[key], oldOfKey(old, key), known);
    })
  );
}
