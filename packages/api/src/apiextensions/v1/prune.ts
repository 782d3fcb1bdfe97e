import { isJsonObject, setOwnEntry } from '@coxswain/apimachinery';
import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';
import { additionalSchema, itemSchema, propertySchema } from './schema-visitor.ts';

const metaFields = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * A copy of a value without the fields that its schema does not know. Metadata of a resource, at the root
 * (`isResource`) or embedded, is left alone.
 */
export function prune(value: unknown, schema: JSONSchemaProps | undefined, isResource: boolean): unknown {
  return walk(value, schema, isResource, false);
}

/** `keeping`: unknown fields stay, down to the next property that has a schema of its own. */
function walk(value: unknown, schema: JSONSchemaProps | undefined, isResource: boolean, keeping: boolean): unknown {
  const keeps = keeping || schema?.['x-kubernetes-preserve-unknown-fields'] === true;
  if (Array.isArray(value)) {
    const items = schema && itemSchema(schema);
    return keeps && !items ? value : value.map((item) => walk(item, items, false, keeps));
  }
  if (!isJsonObject(value)) return value;
  const hasMetadata = isResource || schema?.['x-kubernetes-embedded-resource'] === true;
  const result: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    const property = schema && propertySchema(schema, key);
    if (hasMetadata && metaFields.has(key)) setOwnEntry(result, key, field);
    else if (property) setOwnEntry(result, key, walk(field, property, false, false));
    else if (schema?.additionalProperties !== undefined) {
      setOwnEntry(result, key, walk(field, additionalSchema(schema), false, false));
    } else if (keeps) setOwnEntry(result, key, field);
  }
  return result;
}
