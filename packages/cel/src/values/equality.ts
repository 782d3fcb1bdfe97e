import { STEPS_BETWEEN_YIELDS, type Steps } from '../steps/steps.ts';
import { sameType } from './types.ts';
import {
  CelError,
  CelList,
  CelMap,
  type CelValue,
  Duration,
  OpaqueValue,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type ValuePairs,
} from './values.ts';

/**
 * The limit for the steps of one comparison, several times the number of values in the largest object. Values can
 * contain the same value many times, so that a small expression could compare huge trees.
 */
const MAX_STEPS = 16_000_000;

/** CEL equality: numbers by value across types, NaN unequal to itself, values of different types unequal. */
export function celEquals(a: CelValue, b: CelValue): boolean {
  const quick = quickEquals(a, b);
  if (quick !== undefined) return quick;
  const comparison = new Comparison(a, b);
  for (;;) {
    const equal = comparison.advance(STEPS_BETWEEN_YIELDS);
    if (equal !== undefined) return equal;
  }
}

/** Like `celEquals`, in steps, for values that may be large. */
export function* equalsInSteps(a: CelValue, b: CelValue): Steps<boolean> {
  const quick = quickEquals(a, b);
  if (quick !== undefined) return quick;
  const comparison = new Comparison(a, b);
  for (;;) {
    const equal = comparison.advance(STEPS_BETWEEN_YIELDS);
    if (equal !== undefined) return equal;
    yield STEPS_BETWEEN_YIELDS;
  }
}

function quickEquals(a: CelValue, b: CelValue): boolean | undefined {
  if (a instanceof OpaqueValue && b !== null) return a.equals(b);
  if (typeof a !== 'object' && typeof a === typeof b) return a === b;
  if (typeof a === 'string' || typeof b === 'string' || typeof a === 'boolean' || typeof b === 'boolean') return false;
  return undefined;
}

/** Compares two values step by step. Does not recurse: values may nest deeply. */
class Comparison {
  readonly #stack: ValuePairs[] = [];
  #left = MAX_STEPS;
  /** The next values to compare; true at the end of a collection, false when there is a difference. */
  #pair: readonly [CelValue, CelValue] | boolean | undefined;

  constructor(a: CelValue, b: CelValue) {
    this.#pair = [a, b];
  }

  /** Compares for this number of steps. Returns the result, or undefined if there is more to do. */
  advance(steps: number): boolean | undefined {
    this.#left -= steps;
    if (this.#left < 0) throw new CelError('operation cancelled: values too large to compare');
    for (let step = 0; step < steps; ) {
      const pair = this.#pair;
      if (pair === false) return false;
      if (pair === true) this.#stack.pop();
      else if (pair !== undefined && !this.#compare(pair[0], pair[1])) return false;
      const top = this.#stack.at(-1);
      if (top === undefined) return true;
      this.#pair = top.next();
      step += top.weight ?? 1;
    }
    return undefined;
  }

  /** Compares scalars, and the sizes of collections, whose contents are pushed to be compared next. */
  #compare(a: CelValue, b: CelValue): boolean {
    switch (typeof a) {
      case 'string':
      case 'boolean':
        return a === b;
      case 'bigint':
      case 'number':
        return compareNumbers(a, b) === 0;
    }
    if (a === null || b === null) return a === b;
    if (a instanceof Uint) return compareNumbers(a, b) === 0;
    if (a instanceof CelList) {
      if (!(b instanceof CelList) || a.size !== b.size) return false;
      this.#stack.push(listPairs(a, b));
      return true;
    }
    if (a instanceof CelMap) {
      if (!(b instanceof CelMap) || a.size !== b.size) return false;
      this.#stack.push(a.pairsWith(b) ?? new MapPairs(a, b));
      return true;
    }
    if (a instanceof Timestamp) return b instanceof Timestamp && a.seconds === b.seconds && a.nanos === b.nanos;
    if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
    if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
    if (a instanceof TypeValue)
      return b instanceof TypeValue && (a.type.name === b.type.name || sameType(a.type, b.type));
    if (a instanceof OpaqueValue) return a.equals(b);
    if (!(b instanceof Optional)) return false;
    if (a.value === undefined || b.value === undefined) return a.value === b.value;
    this.#stack.push(new SinglePair(a.value, b.value));
    return true;
  }
}

function listPairs(a: CelList, b: CelList): ValuePairs {
  if (a.elementIdentity !== undefined) return new IdentityPairs(a, b, a.elementIdentity);
  return b.elementIdentity === undefined ? new ListPairs(a, b) : new IdentityPairs(b, a, b.elementIdentity);
}

class SinglePair implements ValuePairs {
  #pair: readonly [CelValue, CelValue] | undefined;
  constructor(a: CelValue, b: CelValue) {
    this.#pair = [a, b];
  }
  next() {
    const pair = this.#pair;
    this.#pair = undefined;
    return pair ?? true;
  }
}

class ListPairs implements ValuePairs {
  readonly #a: CelList;
  readonly #b: CelList;
  readonly #size: number;
  #index = 0;
  constructor(a: CelList, b: CelList) {
    this.#a = a;
    this.#b = b;
    this.#size = a.size;
  }
  next() {
    const index = this.#index;
    if (index >= this.#size) return true;
    this.#index++;
    return [this.#a.at(index), this.#b.at(index)] as const;
  }
}

class MapPairs implements ValuePairs {
  readonly #a: CelMap;
  readonly #b: CelMap;
  readonly #keys: Iterator<CelValue>;
  constructor(a: CelMap, b: CelMap) {
    this.#a = a;
    this.#b = b;
    this.#keys = a.keys()[Symbol.iterator]();
  }
  next() {
    const { done, value: key } = this.#keys.next();
    if (done) return true;
    const value = this.#a.get(key);
    const other = this.#b.get(key);
    return value !== undefined && other !== undefined && ([value, other] as const);
  }
}

/**
 * Pairs of lists whose order does not matter: first the elements of one list are collected, then those of the other are
 * looked up.
 */
class IdentityPairs implements ValuePairs {
  readonly weight = 8;
  readonly #a: CelList;
  readonly #b: CelList;
  readonly #identity: (element: CelValue) => string;
  readonly #collected = new Map<string, CelValue>();
  #index = 0;
  constructor(a: CelList, b: CelList, identity: (element: CelValue) => string) {
    this.#a = a;
    this.#b = b;
    this.#identity = identity;
  }
  next() {
    const index = this.#index;
    const { size } = this.#a;
    if (index >= 2 * size) return true;
    this.#index++;
    if (index < size) {
      const element = this.#a.at(index);
      this.#collected.set(this.#identity(element), element);
      return undefined;
    }
    const element = this.#b.at(index - size);
    const match = this.#collected.get(this.#identity(element));
    return match !== undefined && ([match, element] as const);
  }
}

/**
 * Compares int, uint and double by value. Returns a negative number, 0 or a positive number, or undefined if they are
 * not comparable (NaN, not a number).
 */
export function compareNumbers(a: CelValue, b: CelValue): number | undefined {
  const left = a instanceof Uint ? a.value : a;
  const right = b instanceof Uint ? b.value : b;
  if (typeof left === 'bigint' && typeof right === 'number') return negate(compareDouble(right, left));
  if (typeof left === 'number' && typeof right === 'bigint') return compareDouble(left, right);
  if (typeof left === 'bigint' && typeof right === 'bigint') return left < right ? -1 : left > right ? 1 : 0;
  if (typeof left !== 'number' || typeof right !== 'number' || Number.isNaN(left) || Number.isNaN(right))
    return undefined;
  return left < right ? -1 : left > right ? 1 : 0;
}

function negate(comparison: number | undefined): number | undefined {
  return comparison === undefined ? undefined : -comparison;
}

/** Compares a double and an integer, which is rounded to a double first, as in cel-go. */
function compareDouble(double: number, integer: bigint): number | undefined {
  if (Number.isNaN(double)) return undefined;
  const other = Number(integer);
  return double < other ? -1 : double > other ? 1 : 0;
}
