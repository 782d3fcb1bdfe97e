import { isJsonObject } from '@coxswain/apimachinery/json';

/** Describes an object of the configuration: field names and types. A list with one shape describes a list of such objects. */
export interface Shape {
  readonly [field: string]: FieldType;
}

type FieldType = 'string' | 'integer' | 'number' | 'boolean' | 'strings' | 'any' | Shape | readonly [Shape];

type Value<T> = T extends 'string'
  ? string
  : T extends 'integer' | 'number'
    ? number
    : T extends 'boolean'
      ? boolean
      : T extends 'strings'
        ? string[]
        : T extends readonly [infer S extends Shape]
          ? Shaped<S>[]
          : T extends Shape
            ? Shaped<T>
            : unknown;

/** An object of that shape, in which every field is optional. */
export type Shaped<S extends Shape> = { readonly [K in keyof S]?: Value<S[K]> };

/**
 * Reads the args of a plug-in by their shape; absent args are an empty object. Null counts as absent. Throws an Error that names all
 * unknown fields, or the first field of a wrong type.
 */
export function readArgsOfShape<S extends Shape>(args: unknown, shape: S): Shaped<S> {
  const unknown: string[] = [];
  const typeMeta = { apiVersion: 'string', kind: 'string' } as const;
  const object = readObject(args ?? {}, { ...typeMeta, ...shape }, '', unknown);
  if (unknown.length > 0)
    throw new Error(`strict decoding error: ${unknown.map((field) => `unknown field "${field}"`).join(', ')}`);
  // The object was read by this shape.
  return object as Shaped<S>;
}

function readObject(value: unknown, shape: Shape, path: string, unknown: string[]): Record<string, unknown> {
  if (!isJsonObject(value)) throw mistyped(path, 'an object');
  const object: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    const at = path ? `${path}.${name}` : name;
    const type = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (type === undefined) unknown.push(at);
    else if (field !== null && field !== undefined) object[name] = readField(field, type, at, unknown);
  }
  return object;
}

function readField(value: unknown, type: FieldType, path: string, unknown: string[]): unknown {
  if (type === 'any') return value;
  if (type === 'strings') return readItems(value, path, (item, at) => readField(item, 'string', at, unknown));
  if (isListShape(type)) return readItems(value, path, (item, at) => readObject(item, type[0], at, unknown));
  if (typeof type === 'object') return readObject(value, type, path, unknown);
  const isOfType = type === 'integer' ? Number.isSafeInteger(value) : typeof value === type;
  if (!isOfType) throw mistyped(path, `of type ${type}`);
  return value;
}

function readItems(value: unknown, path: string, read: (item: unknown, path: string) => unknown): unknown[] {
  if (!Array.isArray(value)) throw mistyped(path, 'a list');
  return value.map((item: unknown, i) => read(item, `${path}[${i}]`));
}

const isListShape = (type: FieldType): type is readonly [Shape] => Array.isArray(type);

const mistyped = (path: string, what: string): Error => new Error(`failed decoding: ${path || 'args'} must be ${what}`);
