import type { CelType } from './types.ts';

/**
 * A run-time value. int is bigint, double is number, bytes is Uint8Array; the rest are the classes below.
 */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | CelList
  | CelMap
  | Optional
  | TypeValue
  | OpaqueValue;

/**
 * An evaluation error: thrown by functions and operators, absorbed by `&&`, `||` and `exists`, else the result of the evaluation.
 *
 * Not a subclass of Error: an expression may raise and absorb millions of them, and recording a stack trace for each would make
 * that slow. It never leaves the evaluator as an exception.
 */
export class CelError {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** uint; 0 <= value < 2^64. */
export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** A point in time: seconds since the epoch (years 1 to 9999) and 0 <= nanos < 1e9. */
export class Timestamp {
  readonly seconds: number;
  readonly nanos: number;
  /** The offset it was written with; it shows only when the timestamp is converted to a string. */
  readonly offsetSeconds: number;
  constructor(seconds: number, nanos: number, offsetSeconds = 0) {
    this.seconds = seconds;
    this.nanos = nanos;
    this.offsetSeconds = offsetSeconds;
  }
}

/** A span of time in nanoseconds, in the range of a signed 64-bit integer. */
export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A list. Elements are adapted when they are read, so wrapping a large JSON array costs nothing. */
export abstract class CelList {
  abstract readonly size: number;
  /** The element at `0 <= index < size`; the caller checks the range. */
  abstract at(index: number): CelValue;

  /**
   * Overridden by lists whose schema makes them sets or maps: what makes two elements the same. Order does not matter when
   * such a list is compared, and `+` merges.
   */
  get elementIdentity(): ((element: CelValue) => string) | undefined {
    return undefined;
  }

  *[Symbol.iterator](): IterableIterator<CelValue> {
    for (let i = 0; i < this.size; i++) yield this.at(i);
  }
}

/** Two collections, as far as they have been compared. */
export interface ValuePairs {
  /** The steps that it takes to find the next two; 1 if it is missing. */
  readonly weight?: number;
  /** The next two values; true when there is none left, false when the collections differ, undefined to be asked again. */
  next(): readonly [CelValue, CelValue] | boolean | undefined;
}

/** A map or an object. Keys are bool, int, uint or string; an int finds an equal uint and double. */
export abstract class CelMap {
  abstract readonly size: number;
  /** The value for a key, or undefined if there is none. */
  abstract get(key: CelValue): CelValue | undefined;
  abstract keys(): Iterable<CelValue>;

  /** What `in` says. Overridden by maps that have a value for keys that they do not list. */
  has(key: CelValue): boolean {
    return this.get(key) !== undefined;
  }

  /** Overridden by maps that hold more than their keys show; undefined means: compare key by key. */
  pairsWith(_other: CelMap): ValuePairs | undefined {
    return undefined;
  }

  /** What `type(x)` gives if it is not `map`. */
  get objectType(): CelType | undefined {
    return undefined;
  }
}

/** An optional value; `Optional.NONE` is the one without a value. */
export class Optional {
  static readonly NONE = new Optional(undefined);
  readonly value: CelValue | undefined;
  private constructor(value: CelValue | undefined) {
    this.value = value;
  }
  static of(value: CelValue): Optional {
    return new Optional(value);
  }
}

/** A type as a value: `type(1)`, `int`. */
export class TypeValue {
  readonly type: CelType;
  constructor(type: CelType) {
    this.type = type;
  }
}

/** A value of a library's own type (IP address, quantity, authorizer…). */
export abstract class OpaqueValue {
  abstract readonly celType: CelType;
  abstract equals(other: CelValue): boolean;
  /** What cost functions take as its size; 1 if not overridden. */
  get costSize(): number {
    return 1;
  }
}

/** A list over an array of values that are CEL values already. */
export class ArrayList extends CelList {
  readonly items: readonly CelValue[];
  constructor(items: readonly CelValue[]) {
    super();
    this.items = items;
  }
  get size(): number {
    return this.items.length;
  }
  at(index: number): CelValue {
    const item = this.items[index];
    if (item === undefined) throw new CelError(`index out of bounds: ${index}`);
    return item;
  }
  override [Symbol.iterator](): IterableIterator<CelValue> {
    return this.items[Symbol.iterator]();
  }
}
