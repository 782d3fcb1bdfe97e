import type { JSONSchemaProps } from '@coxswain/api/apiextensions/v1';

/** The schemas of the direct children of values: fields, items, values of maps. */
export function* childrenOf({ properties, additionalProperties, items }: JSONSchemaProps): Generator<JSONSchemaProps> {
  if (typeof additionalProperties === 'object') yield additionalProperties;
  for (const property of Object.values(properties ?? {})) yield property;
  if (items && !Array.isArray(items)) yield items;
}

/** Whether a schema or one inside has rules. */
export function hasRules(schema: JSONSchemaProps): boolean {
  if (schema['x-kubernetes-validations']?.length) return true;
  for (const child of childrenOf(schema)) if (hasRules(child)) return true;
  return false;
}
