import type { Catalogue, Descriptions } from '@coxswain/api';
import {
  type Field,
  type GroupVersionKind,
  isJsonObject,
  type ScalarSchema,
  type Schema,
  type StructSchema,
} from '@coxswain/apimachinery';
import { definitionName } from './definition-name.ts';
import type { Dialect, JsonObject } from './dialect.ts';
import { alternativeNames, inlineScalars, namedScalars, specialDefinitions, zeroValues } from './scalar-types.ts';
import { bytesAsLists, granularFields, spacedEnums, statedZeros, unions, unmarkedLists } from './type-extensions.ts';

/** Returns the key of a definition's descriptions: `meta.v1.Time` for `io.k8s.apimachinery.pkg.apis.meta.v1.Time`. */
const describedName = (name: string): string => name.replace(/^io\.k8s\.(?:api|[a-z-]+\.pkg\.apis)\./, '');

export interface DefinitionOptions {
  readonly catalogue: Catalogue;
  readonly dialect: Dialect;
  readonly descriptions: Descriptions;
  /** Returns the kinds of a type such as `core.v1.Pod`. Most types have none. */
  readonly kindsOf: (typeName: string) => readonly GroupVersionKind[];
}

/**
 * Makes OpenAPI definitions of types, with all types that they refer to. A builder collects the definitions of one document.
 */
export class DefinitionBuilder {
  readonly #catalogue: Catalogue;
  readonly #dialect: Dialect;
  readonly #descriptions: Descriptions;
  readonly #kindsOf: (typeName: string) => readonly GroupVersionKind[];
  readonly #definitions = new Map<string, JsonObject>();

  constructor({ catalogue, dialect, descriptions, kindsOf }: DefinitionOptions) {
    this.#catalogue = catalogue;
    this.#dialect = dialect;
    this.#descriptions = descriptions;
    this.#kindsOf = kindsOf;
  }

  /** Returns all definitions so far, sorted by name. */
  definitions(): JsonObject {
    return Object.fromEntries([...this.#definitions].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Defines a type of the catalogue, such as `core.v1.Pod`, and returns a reference to it. Throws when it does not exist. */
  type(fullName: string): JsonObject {
    return this.#refTo(this.#catalogue.type(fullName));
  }

  /** Adds one of `specialDefinitions`, and returns a reference to it. */
  special(name: string): JsonObject {
    this.#define(name, () => this.#described(describedName(name), '', specialDefinitions.get(name)?.(this.#dialect)));
    return this.#ref(name);
  }

  /** Adds a definition that the caller made. */
  add(name: string, definition: JsonObject): void {
    this.#definitions.set(name, definition);
  }

  /** Returns a reference to a definition that is added by `add`, before or after. */
  given(name: string): JsonObject {
    return this.#ref(name);
  }

  /** Returns a property whose type is from the catalogue. */
  reference(fullName: string, description: string): JsonObject {
    return this.#property(this.#catalogue.type(fullName), { description });
  }

  #described(type: string, field: string, definition: JsonObject = {}): JsonObject {
    const description = this.#describe(type, field);
    const properties = isJsonObject(definition.properties) ? Object.entries(definition.properties) : [];
    const described = properties.map(([name, property]) => [
      name,
      this.#described(type, name, isJsonObject(property) ? property : {}),
    ]);
    return {
      ...(description && { description }),
      ...definition,
      ...(described.length > 0 && { properties: Object.fromEntries(described) }),
    };
  }

  #ref = (name: string): JsonObject => ({ $ref: this.#dialect.refPrefix + name });

  #refTo(struct: StructSchema): JsonObject {
    const name = definitionName(struct.fullName);
    this.#define(name, () => this.#struct(struct));
    return this.#ref(name);
  }

  /** Adds the definition before making its content, because types may refer to themselves. */
  #define(name: string, make: () => JsonObject): void {
    if (this.#definitions.has(name)) return;
    const definition: JsonObject = {};
    this.#definitions.set(name, definition);
    Object.assign(definition, make());
  }

  #describe(type: string, field: string): string {
    const fields = Object.hasOwn(this.#descriptions, type) ? this.#descriptions[type]! : {};
    return Object.hasOwn(fields, field) ? fields[field]! : '';
  }

  #struct(struct: StructSchema): JsonObject {
    const fields = [...struct.fields.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const required = [...struct.fields.values()].filter((field) => field.required).map(({ name }) => name);
    const description = this.#describe(struct.fullName, '');
    const union = unions.get(struct.fullName);
    const kinds = this.#kindsOf(struct.fullName).map(({ group, version, kind }) => ({ group, kind, version }));
    return {
      ...(description && { description }),
      type: 'object',
      ...(required.length > 0 && { required }),
      ...(fields.length > 0 && {
        properties: Object.fromEntries(fields.map((field) => [field.name, this.#field(struct, field)])),
      }),
      ...(kinds.length > 0 && { 'x-kubernetes-group-version-kind': kinds }),
      // `struct` may be marked atomic by the field that uses it. The mark of the type itself is in the catalogue.
      ...(this.#catalogue.type(struct.fullName).atomic && { 'x-kubernetes-map-type': 'atomic' }),
      ...(union && { 'x-kubernetes-unions': union }),
    };
  }

  #field(struct: StructSchema, field: Field): JsonObject {
    const { schema, mergeKey, patchStrategy } = field;
    const path = `${struct.fullName}.${field.name}`;
    const fallback = this.#dialect.defaults ? (statedZeros.get(path) ?? defaultOf(field)) : undefined;
    return this.#property(
      schema,
      { description: this.#fieldDescription(struct, field), ...(fallback !== undefined && { default: fallback }) },
      {
        ...(schema.kind === 'list' && !isUnmarked(struct, field) && listMarks(schema)),
        ...(bytesAsLists.has(path) && { 'x-kubernetes-list-type': 'atomic' }),
        ...(schema.kind === 'map' && schema.atomic && { 'x-kubernetes-map-type': 'atomic' }),
        ...(granularFields.has(path) && { 'x-kubernetes-map-type': 'granular' }),
        ...(mergeKey && { 'x-kubernetes-patch-merge-key': mergeKey }),
        ...(patchStrategy.length > 0 && { 'x-kubernetes-patch-strategy': patchStrategy.join(',') }),
      },
    );
  }

  /** Returns the description of a field, with the values of an enum and their descriptions. */
  #fieldDescription(struct: StructSchema, { name, schema }: Field): string {
    const text = this.#describe(struct.fullName, name);
    const values = enumOf(schema);
    if (!text || !values) return text;
    const lines = values.map((value) => {
      const meaning = this.#describe(struct.fullName, `${name}.${value}`);
      return `\n - \`${JSON.stringify(value)}\`${meaning && ` ${meaning}`}`;
    });
    const space = spacedEnums.has(`${struct.name}.${name}`) ? '\n\n\n' : '\n\n';
    return `${text}${space}Possible enum values:${lines.join('')}`;
  }

  /** Makes a property: `head`, then the keys of the type itself, then `tail`, so that keys are in upstream's order. */
  #property(schema: Schema, head: { description?: string; default?: unknown }, tail: JsonObject = {}): JsonObject {
    const described = head.description ? { description: head.description } : {};
    const defaulted = 'default' in head ? { default: head.default } : {};
    const ref = this.#refOf(schema);
    if (ref) {
      const bare = !head.description && !('default' in head) && Object.keys(tail).length === 0;
      if (this.#dialect.refsHaveNeighbours || bare) return { ...described, ...defaulted, ...ref, ...tail };
      return { ...described, ...defaulted, allOf: [ref], ...tail };
    }
    switch (schema.kind) {
      case 'list':
        return { ...described, type: 'array', ...defaulted, items: this.#element(schema.items), ...tail };
      case 'map': {
        const additionalProperties = this.#element(schema.values);
        return { ...described, type: 'object', ...defaulted, additionalProperties, ...tail };
      }
      default: {
        const values = enumOf(schema);
        return {
          ...described,
          ...(isScalar(schema) && inlineScalars[schema.kind]),
          ...defaulted,
          ...(values && { enum: values }),
          ...tail,
        };
      }
    }
  }

  /** Makes the schema of list items or map values. In v3 these have their type's zero value as default. */
  #element(schema: Schema): JsonObject {
    const fallback = this.#dialect.defaults ? zeroOf(schema) : undefined;
    const tail = schema.kind === 'list' && schema.listType !== 'atomic' ? listMarks(schema) : {};
    return this.#property(schema, fallback === undefined ? {} : { default: fallback }, tail);
  }

  #refOf(schema: Schema): JsonObject | undefined {
    if (schema.kind === 'struct') return this.#refTo(schema);
    if (schema.kind === 'schemaOr') return this.special(alternativeNames[schema.alternative]);
    const name = isScalar(schema) ? namedScalars[schema.kind] : undefined;
    return name ? this.special(name) : undefined;
  }
}

const isScalar = (schema: Schema): schema is ScalarSchema =>
  schema.kind !== 'struct' && schema.kind !== 'list' && schema.kind !== 'map' && schema.kind !== 'schemaOr';

const enumOf = (schema: Schema): readonly string[] | undefined =>
  isScalar(schema) && schema.enum ? [...schema.enum].sort() : undefined;

function listMarks({ listType, mapKeys }: Extract<Schema, { kind: 'list' }>): JsonObject {
  return {
    ...(mapKeys.length > 0 && { 'x-kubernetes-list-map-keys': mapKeys }),
    'x-kubernetes-list-type': listType,
  };
}

/** Lists without a list type in upstream's documents, such as the items of `PodList`. */
const isUnmarked = ({ name, fullName }: StructSchema, field: Field): boolean =>
  (field.name === 'items' && name.endsWith('List')) || unmarkedLists.has(`${fullName}.${field.name}`);

/** Returns the default of a field. Fields that are always encoded have their type's zero value. */
function defaultOf(field: Field): unknown {
  if (field.default !== undefined) return field.default;
  if (field.pointer) return undefined;
  return field.schema.kind === 'struct' || !(field.omitEmpty || field.omitZero) ? zeroOf(field.schema) : undefined;
}

function zeroOf(schema: Schema): unknown {
  if (schema.kind === 'struct') return {};
  return isScalar(schema) ? zeroValues[schema.kind] : undefined;
}
