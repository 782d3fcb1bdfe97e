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
 * An evaluation error: thrown by functions and operators. `&&`, `||` and `exists` can absorb it; otherwise it is the
 * result of the evaluation.
 *
 * Not a subclass of Error: an expression may raise and absorb millions of them, and recording a stack trace for each
 * would be slow. It never leaves the evaluator as an exception.
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
   * Returns a function that identifies elements; overridden by lists that are sets or maps by their schema. The order
   * of such lists is ignored in comparisons, and `+` merges them.
   */
  get elementIdentity(): ((element: CelValue) => string) | undefined {
    return undefined;
  }

  *[Symbol.iterator](): IterableIterator<CelValue> {
    for (let i = 0; i < this.size; i++) yield this.at(i);
  }
}

/** A comparison of two collections in progress. */
export interface ValuePairs {
  /** The steps that `next` takes; 1 if absent. */
  readonly weight?: number;
  /** Returns the next two values; true at the end, false when the collections differ, undefined to be called again. */
  next(): readonly [CelValue, CelValue] | boolean | undefined;
}

/** A map or an object. Keys are bool, int, uint or string. Lookups match equal numbers of all types. */
export abstract class CelMap {
  abstract readonly size: number;
  /** Returns the value for a key, or undefined if there is none. */
  abstract get(key: CelValue): CelValue | undefined;
  abstract keys(): Iterable<CelValue>;

  /** Returns the result of `in`. Overridden by maps that have a value for keys that they do not list. */
  has(key: CelValue): boolean {
    return this.get(key) !== undefined;
  }

  /**
   * Returns a comparison with the other map. Overridden by maps with more contents than their keys show; undefined
   * means to compare key by key.
   */
  pairsWith(_other: CelMap): ValuePairs | undefined {
    return undefined;
  }

  /** The result of `type(x)` if it is not `map`. */
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
  /** The size that cost functions use; 1 by default. */
  get costSize(): number {
    return 1;
  }
}

/** A list over an array of CEL values. */
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
