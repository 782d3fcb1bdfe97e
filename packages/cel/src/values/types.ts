import type { CelList, CelMap, CelValue, Duration, Optional, Timestamp, TypeValue, Uint } from './values.ts';

/** The kinds of CEL types. `optional` is the opaque type `optional_type`, as in cel-go. */
export type CelTypeKind =
  | 'dyn'
  | 'error'
  | 'null'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'timestamp'
  | 'duration'
  | 'list'
  | 'map'
  | 'type'
  | 'opaque'
  | 'object'
  | 'typeParam';

/** The fields of an object type, looked up when an expression uses them. */
export interface ObjectFields {
  /** Returns the type of a field, or undefined if the type has no such field. */
  field(name: string): CelType | undefined;
  /** Builds a value from a message literal (`Type{field: value}`); without it the type cannot be constructed. */
  construct?(fields: ReadonlyMap<string, CelValue>): CelValue;
}

/** Thrown when a type contains too many others: some expressions have types that grow exponentially with their length. */
export class TypeTooComplexError extends Error {}

/** More than the size of any type that an expression can spell out. */
const MAX_TYPE_SIZE = 60_000;

declare const runtimeValue: unique symbol;

/**
 * A CEL type. Immutable, and limited in size so that it can be traversed synchronously (otherwise the constructor
 * throws TypeTooComplexError). `V` is the TypeScript type of its runtime values, so that function declarations are
 * checked.
 */
export class CelType<V extends CelValue = CelValue> {
  declare readonly [runtimeValue]: V;
  readonly kind: CelTypeKind;
  /** The name that `type(x)` prints, e.g. `google.protobuf.Timestamp`, `list`, `net.IP`. */
  readonly name: string;
  readonly parameters: readonly CelType[];
  /** Only for kind `object`. */
  readonly fields: ObjectFields | undefined;
  /** Whether it is or contains a type parameter. */
  readonly isGeneric: boolean;
  /** The number of types that it contains; repeated ones count each time. */
  readonly #size: number;

  constructor(kind: CelTypeKind, name: string, parameters: readonly CelType[] = [], fields?: ObjectFields) {
    this.kind = kind;
    this.name = name;
    this.parameters = parameters;
    this.fields = fields;
    let isGeneric = kind === 'typeParam';
    let size = 1;
    for (const parameter of parameters) {
      isGeneric ||= parameter.isGeneric;
      size += parameter.#size;
    }
    this.isGeneric = isGeneric;
    this.#size = size;
    if (size > MAX_TYPE_SIZE) throw new TypeTooComplexError();
  }

  /** Formats the type as in compile errors: `list(int)`, `map(string, dyn)`, `timestamp`, `net.IP`. */
  toString(): string {
    if (this.kind === 'null') return 'null';
    if (this.kind === 'error') return '!error!';
    if (this.kind === 'timestamp' || this.kind === 'duration') return this.kind;
    if (this.parameters.length === 0) return this.name;
    return `${this.name}(${this.parameters.join(', ')})`;
  }
}

/** The runtime values of a type. */
export type ValueOf<T> = T extends CelType<infer V> ? V : never;

export const DYN = new CelType('dyn', 'dyn');
/** The type of an expression whose check failed. It is assignable to everything, so that one mistake causes only one message. */
export const ERROR = new CelType('error', '*error*');
export const NULL = new CelType<null>('null', 'null_type');
export const BOOL = new CelType<boolean>('bool', 'bool');
export const INT = new CelType<bigint>('int', 'int');
export const UINT = new CelType<Uint>('uint', 'uint');
export const DOUBLE = new CelType<number>('double', 'double');
export const STRING = new CelType<string>('string', 'string');
export const BYTES = new CelType<Uint8Array>('bytes', 'bytes');
export const TIMESTAMP = new CelType<Timestamp>('timestamp', 'google.protobuf.Timestamp');
export const DURATION = new CelType<Duration>('duration', 'google.protobuf.Duration');
/** `type` without a parameter: the type of types. */
export const TYPE = new CelType<TypeValue>('type', 'type');

export function listOf(element: CelType): CelType<CelList> {
  return new CelType<CelList>('list', 'list', [element]);
}

export function mapOf(key: CelType, value: CelType): CelType<CelMap> {
  return new CelType<CelMap>('map', 'map', [key, value]);
}

export function optionalOf(element: CelType): CelType<Optional> {
  return new CelType<Optional>('opaque', 'optional_type', [element]);
}

export function typeOf(of: CelType): CelType<TypeValue> {
  return new CelType<TypeValue>('type', 'type', [of]);
}

/** Returns a type parameter, e.g. `T`. The same name within one overload denotes the same type. */
export function typeParam(name: string): CelType {
  return new CelType('typeParam', name);
}

/** Returns a named type without visible structure, e.g. `net.IP`. Types with the same name and parameters are equal. */
export function opaque<V extends CelValue = CelValue>(name: string, parameters: readonly CelType[] = []): CelType<V> {
  return new CelType<V>('opaque', name, parameters);
}

/**
 * Returns a type with fields. Types with the same name are equal. Kubernetes also declares its library types
 * (`kubernetes.Quantity`) this way.
 */
export function objectType<V extends CelValue = CelValue>(name: string, fields: ObjectFields = NO_FIELDS): CelType<V> {
  return new CelType<V>('object', name, [], fields);
}

const NO_FIELDS: ObjectFields = { field: () => undefined };

export function isOptionalType(type: CelType): boolean {
  return type.kind === 'opaque' && type.name === 'optional_type';
}

export function isDynOrError(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'error';
}

/** Reports whether two types are the same; type parameters and objects are compared by name. */
export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.parameters.length !== b.parameters.length) return false;
  return a.parameters.every((parameter, i) => {
    const other = b.parameters[i];
    return other !== undefined && sameType(parameter, other);
  });
}
