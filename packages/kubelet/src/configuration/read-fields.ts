import { messageOf } from '@coxswain/apimachinery/errors';
import { isJsonObject } from '@coxswain/apimachinery/json';
import { canonicalDuration } from '@coxswain/apimachinery/time';

/** The fields of an object, by name. A list with one shape describes a list of such objects. */
export interface Shape {
  readonly [field: string]: FieldType;
}

type FieldType = keyof Values | Shape | readonly [Shape];

interface Values {
  readonly string: string;
  readonly boolean: boolean;
  readonly int32: number;
  readonly int64: number;
  readonly float64: number;
  /** In canonical form: `1m0s`. */
  readonly duration: string;
  readonly strings: readonly string[];
  readonly int32s: readonly number[];
  readonly stringMap: Readonly<Record<string, string>>;
  readonly booleanMap: Readonly<Record<string, boolean>>;
  readonly stringsMap: Readonly<Record<string, readonly string[]>>;
  /** Values are strings or numbers. */
  readonly quantities: Readonly<Record<string, string>>;
  readonly any: unknown;
}

type Value<T> = T extends keyof Values
  ? Values[T]
  : T extends readonly [infer S extends Shape]
    ? readonly Shaped<S>[]
    : T extends Shape
      ? Shaped<T>
      : never;

/** An object of a shape, in which every field is optional. */
export type Shaped<S extends Shape> = { readonly [Name in keyof S]?: Value<S[Name]> };

/** Names of types in messages, which are those of Go. */
const goTypes: Readonly<Record<keyof Values, string>> = {
  string: 'string',
  boolean: 'bool',
  int32: 'int32',
  int64: 'int64',
  float64: 'float64',
  duration: 'string',
  strings: '[]string',
  int32s: '[]int32',
  stringMap: 'map[string]string',
  booleanMap: 'map[string]bool',
  stringsMap: 'map[string][]string',
  quantities: 'map[string]resource.Quantity',
  any: 'any',
};

export interface ReadFieldsOptions {
  /** Name of the kind, for messages. */
  readonly kind: string;
  /** Keeps fields that are null, which a merge patch removes. */
  readonly keepNull?: boolean;
}

/**
 * Reads an object by its shape. Throws an Error that names the first field of a wrong type, or all fields that are unknown.
 */
export function readFields<S extends Shape>(value: unknown, shape: S, options: ReadFieldsOptions): Shaped<S> {
  const reader = new FieldReader(options);
  const object = reader.object(value, shape, '');
  if (reader.unknown.length > 0) {
    const names = reader.unknown.sort().map((name) => `unknown field "${name}"`);
    throw new Error(`strict decoding error: ${names.join(', ')}`);
  }
  // Every field was read by the shape.
  return object as Shaped<S>;
}

class FieldReader {
  readonly unknown: string[] = [];
  readonly #options: ReadFieldsOptions;

  constructor(options: ReadFieldsOptions) {
    this.#options = options;
  }

  object(value: unknown, shape: Shape, path: string): Record<string, unknown> {
    if (!isJsonObject(value)) throw this.#mistyped(value, path, 'object');
    const object: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(value)) {
      const at = path === '' ? name : `${path}.${name}`;
      const type = Object.hasOwn(shape, name) ? shape[name] : undefined;
      if (type === undefined) this.unknown.push(at);
      else if (field !== null && field !== undefined) object[name] = this.#field(field, type, at);
      else if (this.#options.keepNull) object[name] = null;
    }
    return object;
  }

  #field(value: unknown, type: FieldType, path: string): unknown {
    if (typeof type === 'object')
      return isListShape(type) ? this.#objects(value, type[0], path) : this.object(value, type, path);
    switch (type) {
      case 'any':
        return value;
      case 'int32':
        return this.#integer(value, path, type, 2 ** 31);
      case 'int64':
        return this.#integer(value, path, type, Number.MAX_SAFE_INTEGER);
      case 'float64':
        if (typeof value !== 'number') throw this.#mistyped(value, path, goTypes[type]);
        return value;
      case 'duration':
        return this.#duration(value, path);
      case 'strings':
        return this.#list(value, 'string', path, goTypes[type]);
      case 'int32s':
        return this.#list(value, 'int32', path, goTypes[type]);
      case 'stringMap':
        return this.#map(value, 'string', path, goTypes[type]);
      case 'booleanMap':
        return this.#map(value, 'boolean', path, goTypes[type]);
      case 'stringsMap':
        return this.#map(value, 'strings', path, goTypes[type]);
      case 'quantities':
        return this.#quantities(value, path);
      default:
        if (typeof value !== type) throw this.#mistyped(value, path, goTypes[type]);
        return value;
    }
  }

  #integer(value: unknown, path: string, type: 'int32' | 'int64', limit: number): number {
    if (typeof value !== 'number') throw this.#mistyped(value, path, type);
    if (!Number.isInteger(value) || value < -limit || value >= limit)
      throw this.#mistyped(value, path, type, ` ${value}`);
    return value;
  }

  #duration(value: unknown, path: string): string {
    if (typeof value !== 'string') throw this.#mistyped(value, path, goTypes.duration);
    try {
      return canonicalDuration(value);
    } catch (cause) {
      throw new Error(`${path}: ${messageOf(cause)}`, { cause });
    }
  }

  #list(value: unknown, item: FieldType, path: string, type: string): unknown[] {
    if (!Array.isArray(value)) throw this.#mistyped(value, path, type);
    return value.map((each: unknown) => this.#field(each, item, path));
  }

  #objects(value: unknown, shape: Shape, path: string): unknown[] {
    if (!Array.isArray(value)) throw this.#mistyped(value, path, 'array');
    return value.map((each: unknown, index) => this.object(each, shape, `${path}[${index}]`));
  }

  #map(value: unknown, item: FieldType, path: string, type: string): Record<string, unknown> {
    if (!isJsonObject(value)) throw this.#mistyped(value, path, type);
    const entries = Object.entries(value).filter(([, each]) => each !== null || this.#options.keepNull);
    return Object.fromEntries(
      entries.map(([key, each]) => [key, each === null ? null : this.#field(each, item, path)]),
    );
  }

  #quantities(value: unknown, path: string): Record<string, string> {
    if (!isJsonObject(value)) throw this.#mistyped(value, path, goTypes.quantities);
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => {
        if (typeof each !== 'string' && typeof each !== 'number') throw this.#mistyped(each, path, 'resource.Quantity');
        return [key, String(each)];
      }),
    );
  }

  #mistyped(value: unknown, path: string, type: string, shown = ''): Error {
    const field = path === '' ? this.#options.kind : `${this.#options.kind}.${path.replaceAll(/\[\d+\]/g, '')}`;
    return new Error(`json: cannot unmarshal ${jsonType(value)}${shown} into Go struct field ${field} of type ${type}`);
  }
}

const isListShape = (type: Shape | readonly [Shape]): type is readonly [Shape] => Array.isArray(type);

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  return Array.isArray(value) ? 'array' : typeof value;
}
