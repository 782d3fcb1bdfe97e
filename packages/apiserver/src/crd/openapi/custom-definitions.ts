import { type Descriptions, isStructural } from '@coxswain/api';
import type { JSONSchemaProps } from '@coxswain/api/apiextensions/v1';
import { isJsonObject } from '@coxswain/apimachinery';
import type { DefinitionBuilder, Dialect, JsonObject } from '../../openapi/index.ts';
import { type CustomKind, modelName } from './custom-kind.ts';
import { mapSchemas, v2Schema, v3Schema } from './published-schema.ts';

const conventions = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';

/** Fields of all resources, with the descriptions of built-in kinds. */
interface CommonFields {
  readonly typeMeta: JsonObject;
  readonly embeddedTypeMeta: JsonObject;
  readonly objectMeta: JsonObject;
  readonly listMeta: JsonObject;
}

function commonFields(definitions: DefinitionBuilder, descriptions: Descriptions): CommonFields {
  const describe = (type: string, field: string): string => descriptions[type]?.[field] ?? '';
  const text = (description: string): JsonObject => ({ ...(description && { description }), type: 'string' });
  return {
    typeMeta: { apiVersion: text(describe('core.v1.Pod', 'apiVersion')), kind: text(describe('core.v1.Pod', 'kind')) },
    embeddedTypeMeta: {
      apiVersion: text(
        `apiVersion defines the versioned schema of this representation of an object. More info: ${conventions}#resources`,
      ),
      kind: text(
        `kind is a string value representing the type of this object. In CamelCase. More info: ${conventions}#types-kinds`,
      ),
    },
    objectMeta: definitions.reference('meta.v1.ObjectMeta', describe('core.v1.Pod', 'metadata')),
    listMeta: definitions.reference('meta.v1.ListMeta', describe('core.v1.PodList', 'metadata')),
  };
}

/** Adds the definitions of a kind and its list to a document. */
export function addDefinitions(
  kind: CustomKind,
  definitions: DefinitionBuilder,
  dialect: Dialect,
  descriptions: Descriptions,
): void {
  const common = commonFields(definitions, descriptions);
  const marks = (name: string): JsonObject => ({
    'x-kubernetes-group-version-kind': [{ group: kind.group, kind: name, version: kind.version }],
    ...(kind.selectableFields.length > 0 && {
      'x-kubernetes-selectable-fields': kind.selectableFields.map((fieldPath) => ({ fieldPath })),
    }),
  });
  definitions.add(
    modelName(kind, kind.kind),
    extensionsLast({ ...objectDefinition(kind, dialect, common), ...marks(kind.kind) }),
  );
  const items = { type: 'array', items: definitions.given(modelName(kind, kind.kind)) };
  definitions.add(modelName(kind, kind.listKind), {
    description: `${kind.listKind} is a list of ${kind.kind}`,
    type: 'object',
    required: ['items'],
    properties: sorted({
      ...common.typeMeta,
      items: { description: `List of ${kind.plural}. More info: ${conventions}`, ...items },
      metadata: common.listMeta,
    }),
    ...marks(kind.listKind),
  });
}

/** Sorts extensions by name after all other fields, like upstream, which makes the protobuf form equal. */
function extensionsLast(definition: JsonObject): JsonObject {
  const isExtension = (key: string) => key.startsWith('x-');
  const own = Object.entries(definition).filter(([key]) => !isExtension(key));
  const extensions = Object.entries(definition).filter(([key]) => isExtension(key));
  return { ...Object.fromEntries(own), ...sorted(Object.fromEntries(extensions)) };
}

/** A kind without a structural schema is any object. */
function objectDefinition(
  { schema, preserveUnknownFields }: CustomKind,
  dialect: Dialect,
  common: CommonFields,
): JsonObject {
  const isV2 = !dialect.oneOf;
  if (!schema || !isStructural(schema)) return { type: 'object' };
  if (isV2 && (preserveUnknownFields || schema['x-kubernetes-preserve-unknown-fields'])) return { type: 'object' };
  const written = mapSchemas(schema, isV2 ? v2Schema : v3Schema);
  const embedded = withEmbedded(written, isV2, common);
  const properties = { ...fieldsOf(embedded), ...common.typeMeta, metadata: common.objectMeta };
  return { ...embedded, properties: sorted(properties) };
}

const fieldsOf = ({ properties }: JsonObject): JsonObject => (isJsonObject(properties) ? properties : {});

const sorted = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Adds the common fields of embedded resources to their schemas. */
function withEmbedded(schema: JSONSchemaProps, isV2: boolean, common: CommonFields): JsonObject {
  const each = (child: JSONSchemaProps) => withEmbedded(child, isV2, common);
  const { items, properties, additionalProperties, required = [] } = schema;
  const result: JsonObject = {
    ...schema,
    ...(items && !Array.isArray(items) && { items: each(items) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, child]) => [key, each(child)])),
    }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: each(additionalProperties) }),
  };
  if (!schema['x-kubernetes-embedded-resource']) return result;
  if (isV2 && schema['x-kubernetes-preserve-unknown-fields']) return result;
  const missing = ['kind', 'apiVersion'].filter((key) => !required.includes(key));
  return {
    ...result,
    required: [...required, ...missing],
    properties: sorted({ ...fieldsOf(result), ...common.embeddedTypeMeta, metadata: common.objectMeta }),
  };
}
