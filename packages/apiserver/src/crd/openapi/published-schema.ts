import type { JSONSchemaProps, ValidationRule } from '@coxswain/api/apiextensions/v1';
import { jsonEquals } from '@coxswain/apimachinery';

/** Keywords in the order of upstream's documents. */
const keywords: readonly (keyof JSONSchemaProps)[] = [
  'description',
  'type',
  'format',
  'nullable',
  'title',
  'default',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'multipleOf',
  'enum',
  'maxProperties',
  'minProperties',
  'required',
  'items',
  'allOf',
  'oneOf',
  'anyOf',
  'not',
  'properties',
  'additionalProperties',
  'externalDocs',
  'example',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
];

const isSilent = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
/** These keywords are omitted when they are false. */
const switches = new Set<string>(['nullable', 'exclusiveMaximum', 'exclusiveMinimum']);

/** Applies `change` to the schema and then to all schemas inside. Sorts properties by name. */
export function mapSchemas(
  schema: JSONSchemaProps,
  change: (schema: JSONSchemaProps) => JSONSchemaProps,
): JSONSchemaProps {
  const changed = change(schema);
  const each = (child: JSONSchemaProps) => mapSchemas(child, change);
  const { items, properties, additionalProperties } = changed;
  return {
    ...changed,
    ...(items && !Array.isArray(items) && { items: each(items) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, child]) => [key, each(child)]),
      ),
    }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: each(additionalProperties) }),
  };
}

const ruleInOrder = ({ rule, message, messageExpression, reason, fieldPath, optionalOldSelf }: ValidationRule) => ({
  rule,
  ...(message && { message }),
  ...(messageExpression && { messageExpression }),
  ...(reason && { reason }),
  ...(fieldPath && { fieldPath }),
  ...(optionalOldSelf !== undefined && { optionalOldSelf }),
});

function inOrder(schema: JSONSchemaProps): JSONSchemaProps {
  const entries = keywords.flatMap((keyword) => {
    const value = schema[keyword];
    // Defaults are kept even when they are false or empty.
    const says = keyword === 'default' ? (value ?? null) !== null : !isSilent(value);
    return says && !(switches.has(keyword) && value === false) ? [[keyword, value] as const] : [];
  });
  const rules = schema['x-kubernetes-validations']?.map(ruleInOrder);
  return { ...Object.fromEntries(entries), ...(rules?.length && { 'x-kubernetes-validations': rules }) };
}

const integerOrString: JSONSchemaProps[] = [{ type: 'integer' }, { type: 'string' }];

/** Adds the alternatives that int-or-string stands for, unless they are there. */
function unfolded(schema: JSONSchemaProps): JSONSchemaProps {
  const { anyOf, allOf = [] } = schema;
  const isSaid = jsonEquals(anyOf, integerOrString) || jsonEquals(allOf[0]?.anyOf, integerOrString);
  if (!schema['x-kubernetes-int-or-string'] || isSaid) return schema;
  return anyOf ? { ...schema, allOf: [{ anyOf: integerOrString }, ...allOf] } : { ...schema, anyOf: integerOrString };
}

/** The schema for OpenAPI v3 documents. */
export const v3Schema = (schema: JSONSchemaProps): JSONSchemaProps => inOrder(unfolded(schema));

/**
 * The schema for OpenAPI v2 documents: without alternatives, defaults, and the structure of values that are nullable or
 * preserve unknown fields, which clients would apply too strictly.
 */
export function v2Schema(schema: JSONSchemaProps): JSONSchemaProps {
  const { allOf: _a, oneOf: _b, anyOf: _c, not: _d, default: _e, nullable, ...kept } = schema;
  const preserves = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (nullable) delete kept.type;
  if (nullable || preserves) {
    delete kept.items;
    delete kept.properties;
  }
  if ((kept.type === 'array' && !kept.items) || (preserves && kept.type === 'object')) delete kept.type;
  const { properties = {}, additionalProperties, required } = kept;
  const isRequired = (key: string) => !Object.hasOwn(properties, key) || properties[key]!.nullable !== true;
  if (typeof additionalProperties === 'object' && additionalProperties.nullable) delete kept.required;
  else if (required) kept.required = required.filter(isRequired);
  return inOrder(kept);
}
