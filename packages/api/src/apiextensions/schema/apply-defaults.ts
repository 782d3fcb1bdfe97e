import { cloneJson, isJsonObject, newRequestEntityTooLarge, setOwnEntry } from '@coxswain/apimachinery';
import { type Structural, schemaOfKey } from './structural.ts';

/** How many values defaults may add: about as many as an object of the greatest size has. */
const maxSize = 500_000;

/**
 * Sets the schema's defaults in a value, in place: where a field is missing, or null though null is no value. Defaults
 * may have defaults inside; throws an ApiError (413) when they multiply beyond what an object can hold.
 */
export function applyDefaults(value: unknown, schema: Structural): void {
  if (schema.hasDefaults) new Defaulter().apply(value, schema);
}

class Defaulter {
  /** How many values were set. */
  #size = 0;

  apply(value: unknown, schema: Structural): void {
    if (Array.isArray(value)) {
      const { items } = schema;
      if (!items?.hasDefaults) return;
      for (let i = 0; i < value.length; i++) {
        if (isMissing(value[i], items)) value[i] = this.#copyOf(items);
        this.apply(value[i], items);
      }
    } else if (isJsonObject(value)) this.#applyToObject(value, schema);
  }

  #applyToObject(object: Record<string, unknown>, schema: Structural): void {
    for (const [key, property] of schema.defaulted) {
      if (!Object.hasOwn(object, key) || isMissing(object[key], property)) {
        setOwnEntry(object, key, this.#copyOf(property));
      }
    }
    for (const key in object) {
      const child = schemaOfKey(schema, key);
      if (!child?.hasDefaults) continue;
      // Those of properties are set already.
      if (isMissing(object[key], child)) setOwnEntry(object, key, this.#copyOf(child));
      this.apply(object[key], child);
    }
  }

  #copyOf(schema: Structural): unknown {
    this.#size += schema.defaultSize;
    if (this.#size > maxSize) throw newRequestEntityTooLarge('the defaults of the object are too large');
    return cloneJson(schema.default);
  }
}

const isMissing = (value: unknown, schema: Structural): boolean =>
  value === null && !schema.isNullable && schema.default !== undefined;
