import type { ListSchema, ScalarKind, Schema, StructSchema } from '../schema/schema.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import { RecentShapes } from './recent-shapes.ts';

/**
 * What a place in an object may hold, as apply sees it: a scalar, a list, a map (or struct), or, where the schema
 * does not say, any of them. Compiled from a Schema once.
 */
export interface ValueType {
  readonly scalar?: ScalarType | undefined;
  readonly list?: ListType | undefined;
  readonly map?: MapType | undefined;
}

export type ScalarType = 'numeric' | 'string' | 'boolean' | 'untyped';

export interface ListType {
  /** Replaced as a whole. Otherwise its items are told apart by `keys`, or by their value when there are none. */
  readonly atomic: boolean;
  readonly items: ValueType;
  /** In the schema's order, which messages show. */
  readonly keys: readonly string[];
  /** Sorted by name, with the value that stands in for an absent key. */
  readonly keyFields: readonly { readonly name: string; readonly prefix: string; readonly default: unknown }[];
  /** By their elements. */
  readonly shapes: RecentShapes;
  /** By their names, which an object has before elements are made of them. */
  readonly shapesByNames: RecentShapes;
}

export interface MapType {
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, FieldType>;
  /** The same by their elements. */
  readonly fieldsByElement: ReadonlyMap<PathElement, FieldType>;
  /** What keys that `fields` does not name hold; absent when there may be none. */
  readonly elements: ValueType | undefined;
  /** By their elements. */
  readonly shapes: RecentShapes;
  /** By their names, which an object has before elements are made of them. */
  readonly shapesByNames: RecentShapes;
}

interface FieldType {
  readonly element: PathElement;
  readonly type: ValueType;
}

const noFields: ReadonlyMap<string, FieldType> = new Map();

/** A map of which no key is known beforehand. */
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

/** Anything, owned as a whole. */
const untypedAtomic = recursive((self) => ({
  scalar: 'untyped',
  list: atomicList(self),
  map: mapOf(self, true),
}));

/** Anything: maps are merged key by key, lists replaced. What a kind without a schema is made of. */
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
/** The same where a schema above lets unknown fields through, which its descendants inherit. */
const compiledPreserving = new WeakMap<Schema, ValueType>();

/** The type a schema describes; the same schema gives the same type. */
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
    // Upstream refers to the one ObjectMeta there, which knows all its fields.
    const inherits = preserve && !(name === 'metadata' && schema.fields.has('apiVersion') && schema.fields.has('kind'));
    fields.set(name, { element: fieldElement(name), type: compile(field.schema, inherits) });
  }
  // An object of which nothing is known may hold anything.
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

/** The type of a key's value. Validation lets no key pass that has none; anything goes for those met all the same. */
export function typeOfKey(map: MapType, key: string): ValueType {
  return map.fields.get(key)?.type ?? map.elements ?? deducedType;
}

/** Which of the type's alternatives a value is treated as; one that fits none is left to the first there is. */
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

/** The element of a key. */
export const elementOfKey = (map: MapType, key: string): PathElement =>
  map.fields.get(key)?.element ?? fieldElement(key);
