import { cloneJson, isJsonObject, newRequestEntityTooLarge, setOwnEntry } from '@coxswain/apimachinery';
import { type Structural, schemaOfKey } from './structural.ts';

/** The number of values that defaults may add: about as many as the largest accepted object has. */
const maxSize = 500_000;

/**
 * Sets the schema's defaults in a value, in place: where a field is missing, or null but not nullable. Default values
 * may contain fields with defaults. Throws an ApiError (413) when the defaults multiply beyond the size of the largest
 * object.
 */
export function applyDefaults(value: unknown, schema: Structural): void {
  if (schema.hasDefaults) new Defaulter().apply(value, schema);
}

class Defaulter {
  /** The number of values set so far. */
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
      // Defaults of `properties` are already set; this concerns `additionalProperties`.
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
