import { isJsonObject, jsonEquals } from '@coxswain/apimachinery';
import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';
import { additionalSchema, itemSchema, propertySchema } from './schema-visitor.ts';
import { uncorrelated } from './validation-run.ts';

/** Returns the old value of a key; `uncorrelated` where there was none. */
export const oldOfKey = (old: unknown, key: string): unknown =>
  isJsonObject(old) && Object.hasOwn(old, key) ? old[key] : uncorrelated;

/**
 * Returns a function that finds the old item with the same keys as a new item. Undefined for lists other than maps,
 * whose items have no old counterpart.
 */
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

/** Returns a string that identifies the item by its keys; undefined unless every key has a scalar value. */
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
 * Reports whether an update left a value unchanged. Lists of type map may have changed their order. An object with
 * fields that its schema does not specify is never unchanged. `known` caches results by the new value.
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
