import { isJsonObject } from '@coxswain/apimachinery';
import { metaFields, type Structural, schemaOfKey } from './structural.ts';

/** The number of paths that are returned at most. Differs from upstream, which lists them all. */
const maxPaths = 1000;

/**
 * Removes fields that the schema does not specify, in place. apiVersion, kind and metadata of embedded resources are
 * kept; `isResource` says that the value itself is a resource. Returns the sorted paths of removed fields.
 */
export function prune(value: unknown, schema: Structural, isResource = false): string[] {
  const pruner = new Pruner();
  pruner.prune(value, isResource ? { ...schema, isEmbeddedResource: true } : schema);
  return pruner.paths.sort();
}

class Pruner {
  readonly paths: string[] = [];
  readonly #steps: (string | number)[] = [];

  prune(value: unknown, schema: Structural | undefined): void {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) {
        if (typeof value[i] !== 'object') continue;
        this.#steps.push(i);
        // Items of a list inherit `x-kubernetes-preserve-unknown-fields`; properties do not.
        if (!schema?.preservesUnknownFields) this.prune(value[i], schema?.items);
        else if (schema.items) this.#keep(value[i], schema.items);
        this.#steps.pop();
      }
    } else if (isJsonObject(value)) this.#pruneObject(value, schema, schema?.preservesUnknownFields === true);
  }

  #keep(value: unknown, schema: Structural): void {
    if (Array.isArray(value)) {
      const { items } = schema;
      if (!items) return;
      for (let i = 0; i < value.length; i++) {
        this.#steps.push(i);
        this.#keep(value[i], items);
        this.#steps.pop();
      }
    } else if (isJsonObject(value)) this.#pruneObject(value, schema, true);
  }

  #pruneObject(object: Record<string, unknown>, schema: Structural | undefined, keepsUnknown: boolean): void {
    for (const key in object) {
      if (schema?.isEmbeddedResource && metaFields.has(key)) continue;
      const property = schema?.properties.get(key);
      if (property || schema?.additional !== undefined) {
        const child = object[key];
        if (typeof child !== 'object' || child === null) continue;
        this.#steps.push(key);
        this.prune(child, property ?? schemaOfKey(schema!, key));
        this.#steps.pop();
      } else if (!keepsUnknown) {
        this.#record(key);
        delete object[key];
      }
    }
  }

  #record(key: string): void {
    if (this.paths.length >= maxPaths) return;
    let path = '';
    for (const step of this.#steps) path += typeof step === 'number' ? `[${step}]` : path === '' ? step : `.${step}`;
    this.paths.push(path === '' ? key : `${path}.${key}`);
  }
}

/** Removes null fields, in place, that are not nullable and have no default to replace them. */
export function pruneNulls(value: unknown, schema: Structural): void {
  if (Array.isArray(value)) {
    if (schema.items) for (const item of value) pruneNulls(item, schema.items);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const key in value) {
    const child = schemaOfKey(schema, key);
    if (!child) continue;
    const field = value[key];
    if (field === null && !child.isNullable && child.default === undefined) delete value[key];
    else if (typeof field === 'object') pruneNulls(field, child);
  }
}
