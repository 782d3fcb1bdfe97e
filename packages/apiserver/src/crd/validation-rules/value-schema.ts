import type { JSONSchemaProps } from '@coxswain/api/apiextensions/v1';
import type { ValueSchema } from '@coxswain/cel';
import { escapeFieldName, unescapeFieldName } from '../../cel-types/field-escaping.ts';
import { propertiesOf } from '../../cel-types/schema-type.ts';

/** Converts the schemas of one resource to schemas of CEL values, and caches them. */
export class ValueSchemas {
  readonly #known = new WeakMap<JSONSchemaProps, ValueSchema>();
  readonly #resources = new WeakMap<JSONSchemaProps, ValueSchema>();

  /** `isResource`: as in `SchemaTypes.of`. */
  of(schema: JSONSchemaProps, isResource = schema['x-kubernetes-embedded-resource'] === true): ValueSchema {
    const all = isResource ? this.#resources : this.#known;
    const known = all.get(schema);
    if (known) return known;
    const made: ValueSchema = { ...this.#make(schema, isResource), ...(schema.nullable && { nullable: true }) };
    all.set(schema, made);
    return made;
  }

  #make(schema: JSONSchemaProps, isResource: boolean): ValueSchema {
    if (schema['x-kubernetes-int-or-string']) return { kind: 'intOrString' };
    switch (schema.type) {
      case 'object':
        return this.#object(schema, isResource);
      case 'array':
        return this.#list(schema);
      case 'string':
        return { kind: (schema.format !== undefined && stringKinds[schema.format]) || 'string' };
      case 'boolean':
        return { kind: 'bool' };
      case 'number':
        return { kind: 'double' };
      case 'integer':
        return { kind: 'int' };
      default:
        // Expressions only see it when they compare a value that contains it.
        return { kind: 'dyn' };
    }
  }

  #object(schema: JSONSchemaProps, isResource: boolean): ValueSchema {
    const { additionalProperties, properties } = schema;
    if (!properties && !isResource) {
      if (typeof additionalProperties !== 'object') return { kind: 'object', field: () => undefined };
      return { kind: 'map', items: this.of(additionalProperties) };
    }
    const fields = new Map(propertiesOf(schema, isResource));
    return {
      kind: 'object',
      field: (name) => {
        const property = fields.get(name);
        return property && this.of(property);
      },
      escape: (name) => escapeFieldName(name) ?? name,
      unescape: unescapeFieldName,
    };
  }

  #list(schema: JSONSchemaProps): ValueSchema {
    const { items } = schema;
    const listType = schema['x-kubernetes-list-type'];
    return {
      kind: 'list',
      ...(items && !Array.isArray(items) && { items: this.of(items) }),
      ...((listType === 'set' || listType === 'map') && { listType }),
      listMapKeys: schema['x-kubernetes-list-map-keys'] ?? [],
    };
  }
}

const stringKinds: Readonly<Record<string, ValueSchema['kind']>> = {
  byte: 'bytes',
  duration: 'duration',
  date: 'date',
  'date-time': 'timestamp',
};
