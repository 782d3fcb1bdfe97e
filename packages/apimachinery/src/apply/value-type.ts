import type { ListSchema, ScalarKind, Schema, StructSchema } from '../schema/schema.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import { RecentShapes } from './recent-shapes.ts';

/**
 * The type of a value as apply sees it: a scalar, a list, a map (or struct), or any of them where the schema does not specify it.
 * Compiled from a Schema once.
 */
export interface ValueType {
  readonly scalar?: ScalarType | undefined;
  readonly list?: ListType | undefined;
  readonly map?: MapType | undefined;
}

export type ScalarType = 'numeric' | 'string' | 'boolean' | 'untyped';

export interface ListType {
  /** The list is replaced as a whole. Otherwise its items are identified by `keys`, or by their value when there are no keys. */
  readonly atomic: boolean;
  readonly items: ValueType;
  /** In the schema's order, in which messages print them. */
  readonly keys: readonly string[];
  /** The keys sorted by name, with the default for an absent key. */
  readonly keyFields: readonly { readonly name: string; readonly prefix: string; readonly default: unknown }[];
  /** Recent shapes by path elements. */
  readonly shapes: RecentShapes;
  /** Recent shapes by names, which are known before path elements are computed. */
  readonly shapesByNames: RecentShapes;
}

export interface MapType {
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, FieldType>;
  /** `fields` by path element. */
  readonly fieldsByElement: ReadonlyMap<PathElement, FieldType>;
  /** The type of the values of keys that are not in `fields`; undefined when such keys are not allowed. */
  readonly elements: ValueType | undefined;
  /** Recent shapes by path elements. */
  readonly shapes: RecentShapes;
  /** Recent shapes by names, which are known before path elements are computed. */
  readonly shapesByNames: RecentShapes;
}

interface FieldType {
  readonly element: PathElement;
  readonly type: ValueType;
}

const noFields: ReadonlyMap<string, FieldType> = new Map();

/** A map without declared keys. */
const mapOf = (elements: ValueType, atomic: boolean): MapType => ({
  atomic,
  fields: noFields,
  fieldsByElement: noFields,
  elements,
  shapes: new RecentShapes(),
  shapesByNames: new RecentShapes(),
});

/** Lets a type refer to itself. */
function recursive(build: (self: ValueType) => ValueType): ValueType {
  const self: { -readonly [K in keyof ValueType]: ValueType[K] } = {};
  return Object.assign(self, build(self));
}

const atomicList = (items: ValueType): ListType => ({
  atomic: true,
  items,
  keys: [],
  keyFields: [],
  shapes: new RecentShapes(),
  shapesByNames: new RecentShapes(),
});

/** Any value, owned as a whole. */
const untypedAtomic = recursive((self) => ({
  scalar: 'untyped',
  list: atomicList(self),
  map: mapOf(self, true),
}));

/** Any value: maps are merged key by key, lists are replaced. The type of a kind without a schema. */
export const deducedType = recursive((self) => ({
  scalar: 'untyped',
  list: atomicList(untypedAtomic),
  map: mapOf(self, false),
}));

const scalarTypes: Readonly<Record<ScalarKind, ValueType>> = {
  string: { scalar: 'string' },
  bytes: { scalar: 'string' },
  duration: { scalar: 'string' },
  bool: { scalar: 'boolean' },
  int32: { scalar: 'numeric' },
  int64: { scalar: 'numeric' },
  double: { scalar: 'numeric' },
  quantity: { scalar: 'untyped' },
  time: { scalar: 'untyped' },
  microTime: { scalar: 'untyped' },
  // OpenAPI gives these no type at all.
  intOrString: deducedType,
  any: deducedType,
  unknownObject: deducedType,
  rawObject: untypedAtomic,
  fieldsV1: { map: deducedType.map },
};

const compiled = new WeakMap<Schema, ValueType>();
/** Like `compiled`, for schemas below one that preserves unknown fields, which its descendants inherit. */
const compiledPreserving = new WeakMap<Schema, ValueType>();

/** Returns the type that a schema describes. The same schema gives the same type. */
export const valueTypeOf = (schema: Schema): ValueType => compile(schema, false);

function compile(schema: Schema, preserve: boolean): ValueType {
  const cache = preserve ? compiledPreserving : compiled;
  const known = cache.get(schema);
  if (known !== undefined) return known;
  return recursive((self) => {
    cache.set(schema, self);
    return build(schema, preserve);
  });
}

function build(schema: Schema, preserve: boolean): ValueType {
  switch (schema.kind) {
    case 'struct':
      return { map: structType(schema, preserve || schema.preserveUnknownFields === true) };
    case 'map':
      return { map: mapOf(compile(schema.values, preserve), schema.atomic) };
    case 'list':
      return { list: listType(schema, preserve) };
    case 'schemaOr':
      return deducedType;
    default:
      return scalarTypes[schema.kind];
  }
}

function structType(schema: StructSchema, preserve: boolean): MapType {
  const fields = new Map<string, FieldType>();
  for (const [name, field] of schema.fields) {
    // There upstream refers to the shared ObjectMeta, which declares all of its fields.
    const inherits = preserve && !(name === 'metadata' && schema.fields.has('apiVersion') && schema.fields.has('kind'));
    fields.set(name, { element: fieldElement(name), type: compile(field.schema, inherits) });
  }
  // A struct without declared fields may have any field.
  const open = preserve || fields.size === 0;
  const fieldsByElement = new Map(Array.from(fields.values(), (field) => [field.element, field]));
  return {
    atomic: schema.atomic,
    fields,
    fieldsByElement,
    elements: open ? deducedType : undefined,
    shapes: new RecentShapes(),
    shapesByNames: new RecentShapes(),
  };
}

function listType(schema: ListSchema, preserve: boolean): ListType {
  const { items, mapKeys, listType } = schema;
  const keys = listType === 'map' ? mapKeys : [];
  const keyFields = [...keys].sort().map((name) => ({
    name,
    prefix: `${JSON.stringify(name)}:`,
    default: items.kind === 'struct' ? items.fields.get(name)?.default : undefined,
  }));
  return {
    atomic: listType === 'atomic',
    items: compile(items, preserve),
    keys,
    keyFields,
    shapes: new RecentShapes(),
    shapesByNames: new RecentShapes(),
  };
}

/** Returns the type of a key's value. Undeclared keys, which validation rejects, may hold any value. */
export function typeOfKey(map: MapType, key: string): ValueType {
  return map.fields.get(key)?.type ?? map.elements ?? deducedType;
}

/**
 * Returns which alternative of the type a value is treated as. A value that fits none is treated as the first there is of map, scalar and
 * list.
 */
export function alternativeOf(type: ValueType, value: unknown): 'scalar' | 'list' | 'map' {
  if (value !== null && value !== undefined) {
    if (typeof value !== 'object') {
      if (type.scalar !== undefined) return 'scalar';
    } else if (Array.isArray(value)) {
      if (type.list !== undefined) return 'list';
    } else if (type.map !== undefined) return 'map';
  }
  return type.map !== undefined ? 'map' : type.scalar !== undefined ? 'scalar' : 'list';
}

/** Returns the path element of a key. */
export const elementOfKey = (map: MapType, key: string): PathElement =>
  map.fields.get(key)?.element ?? fieldElement(key);
