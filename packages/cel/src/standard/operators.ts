import { Pace, type Steps, Work } from '../steps/steps.ts';
import { concatLists } from '../values/collections.ts';
import { durationOf } from '../values/duration.ts';
import { compareNumbers, equalsInSteps } from '../values/equality.ts';
import { codePointLength } from '../values/runtime-type.ts';
import { addNanos } from '../values/timestamp.ts';
import { CelError, CelList, CelMap, type CelValue, Duration, Timestamp, Uint } from '../values/values.ts';

const NO_SUCH_OVERLOAD = 'no such overload';
/**
 * The maximum length of a string that an expression may build, in UTF-16 units. The cost limit of Kubernetes ends
 * concatenation at 10 million characters.
 */
export const MAX_STRING_LENGTH = 16 * 1024 * 1024;

/**
 * Throws the error for unsupported operands. Its message contains the operator if the first operand's type does not
 * support it, except for types with methods; not if the second operand is wrong.
 */
function noSuchOverload(operator: string, operand?: CelValue): never {
  const hasMethods = typeof operand === 'string' || operand instanceof Timestamp || operand instanceof Duration;
  throw new CelError(operand === undefined || hasMethods ? NO_SUCH_OVERLOAD : `${NO_SUCH_OVERLOAD}: ${operator}`);
}

const MIN_INT = -(2n ** 63n);
const MAX_INT = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;

export function int64(value: bigint): bigint {
  if (value > MAX_INT || value < MIN_INT) throw new CelError('integer overflow');
  return value;
}

export function uint64(value: bigint): Uint {
  if (value < 0n || value > MAX_UINT) throw new CelError('unsigned integer overflow');
  return new Uint(value);
}

/** Computes `a + b`. May take long for lists that are sets or maps by their schema. */
export function add(a: CelValue, b: CelValue): CelValue | Work<CelValue> {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? int64(a + b) : noSuchOverload('_+_');
  if (typeof a === 'string') return typeof b === 'string' ? concatStrings(a, b) : noSuchOverload('_+_');
  if (typeof a === 'number') return typeof b === 'number' ? a + b : noSuchOverload('_+_');
  if (a instanceof CelList) return b instanceof CelList ? concatLists(a, b) : noSuchOverload('_+_');
  if (a instanceof Uint) return b instanceof Uint ? uint64(a.value + b.value) : noSuchOverload('_+_');
  if (a instanceof Duration) {
    if (b instanceof Duration) return durationOf(a.nanos + b.nanos);
    return b instanceof Timestamp ? addNanos(b, a.nanos) : noSuchOverload('_+_');
  }
  if (a instanceof Timestamp) return b instanceof Duration ? addNanos(a, b.nanos) : noSuchOverload('_+_');
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? concatBytes(a, b) : noSuchOverload('_+_');
  return noSuchOverload('_+_', a);
}

function concatStrings(a: string, b: string): string {
  if (a.length + b.length > MAX_STRING_LENGTH) throw new CelError('operation cancelled: string too large');
  return a + b;
}

function concatBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length + b.length > MAX_STRING_LENGTH) throw new CelError('operation cancelled: bytes too large');
  const sum = new Uint8Array(a.length + b.length);
  sum.set(a);
  sum.set(b, a.length);
  return sum;
}

export function subtract(a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? int64(a - b) : noSuchOverload('_-_');
  if (typeof a === 'number') return typeof b === 'number' ? a - b : noSuchOverload('_-_');
  if (a instanceof Uint) return b instanceof Uint ? uint64(a.value - b.value) : noSuchOverload('_-_');
  if (a instanceof Duration) return b instanceof Duration ? durationOf(a.nanos - b.nanos) : noSuchOverload('_-_');
  if (!(a instanceof Timestamp)) return noSuchOverload('_-_', a);
  if (b instanceof Duration) return addNanos(a, -b.nanos);
  if (b instanceof Timestamp) {
    const nanos = BigInt(a.seconds - b.seconds) * 1_000_000_000n + BigInt(a.nanos - b.nanos);
    return durationOf(nanos);
  }
  return noSuchOverload('_-_');
}

interface Arithmetic {
  readonly symbol: string;
  readonly onZero?: string;
  integer(a: bigint, b: bigint): bigint;
  /** Absent for operators that doubles do not support. */
  double?(a: number, b: number): number;
}

function arithmetic({ symbol, onZero, integer, double }: Arithmetic): (a: CelValue, b: CelValue) => CelValue {
  const checkZero = (b: bigint) => {
    if (b === 0n && onZero !== undefined) throw new CelError(onZero);
  };
  return (a, b) => {
    if (typeof a === 'bigint') {
      if (typeof b !== 'bigint') return noSuchOverload(symbol);
      checkZero(b);
      // The remainder of the smallest integer by -1 overflows like the quotient does.
      if (onZero !== undefined && b === -1n) int64(-a);
      return int64(integer(a, b));
    }
    if (typeof a === 'number' && double !== undefined)
      return typeof b === 'number' ? double(a, b) : noSuchOverload(symbol);
    if (!(a instanceof Uint)) return noSuchOverload(symbol, a);
    if (!(b instanceof Uint)) return noSuchOverload(symbol);
    checkZero(b.value);
    return uint64(integer(a.value, b.value));
  };
}

export const multiply = arithmetic({ symbol: '_*_', integer: (a, b) => a * b, double: (a, b) => a * b });
export const divide = arithmetic({
  symbol: '_/_',
  onZero: 'division by zero',
  integer: (a, b) => a / b,
  double: (a, b) => a / b,
});
export const modulo = arithmetic({ symbol: '_%_', onZero: 'modulus by zero', integer: (a, b) => a % b });

export function negate(a: CelValue): CelValue {
  if (typeof a === 'bigint') return int64(-a);
  if (typeof a === 'number') return -a;
  if (a instanceof Duration) return durationOf(-a.nanos);
  return noSuchOverload('-_', typeof a === 'boolean' ? undefined : a);
}

export function not(a: CelValue): CelValue {
  return typeof a === 'boolean' ? !a : noSuchOverload('!_');
}

/** The number of characters compared at a time by the runtime, which is much faster than a loop. */
const BLOCK = 1024;

/** Compares strings by code points. That differs from the order of UTF-16 units, where surrogates precede U+E000 to U+FFFF. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  let start = 0;
  while (start + BLOCK <= length && a.slice(start, start + BLOCK) === b.slice(start, start + BLOCK)) start += BLOCK;
  for (let i = start; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    const rank = (unit: number) => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
    return rank(x) < rank(y) ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}

/** Compares two values of comparable types. Throws CelError if they are not comparable. */
export function compare(a: CelValue, b: CelValue, operator: string): number {
  if (typeof a === 'bigint' || typeof a === 'number' || a instanceof Uint) {
    const comparison = compareNumbers(a, b);
    if (comparison !== undefined) return comparison;
    if (typeof b === 'number' || (Number.isNaN(a) && typeof a === 'number'))
      throw new CelError('NaN values cannot be ordered');
    return noSuchOverload(operator);
  }
  if (typeof a === 'string') return typeof b === 'string' ? compareStrings(a, b) : noSuchOverload(operator);
  if (typeof a === 'boolean') return typeof b === 'boolean' ? Number(a) - Number(b) : noSuchOverload(operator);
  if (a instanceof Duration) {
    if (!(b instanceof Duration)) return noSuchOverload(operator);
    return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;
  }
  if (a instanceof Timestamp) {
    if (!(b instanceof Timestamp)) return noSuchOverload(operator);
    return a.seconds - b.seconds || a.nanos - b.nanos;
  }
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? Buffer.compare(a, b) : noSuchOverload(operator);
  return noSuchOverload(operator, a);
}

export function isIn(a: CelValue, b: CelValue): CelValue | Work<CelValue> {
  if (b instanceof CelMap) return b.has(a);
  if (!(b instanceof CelList)) return noSuchOverload('@in');
  return new Work(includes(b, a));
}

function* includes(list: CelList, value: CelValue): Steps<boolean> {
  const pace = new Pace();
  const { size: count } = list;
  for (let i = 0; i < count; i++) {
    const element = list.at(i);
    if (yield* equalsInSteps(value, element)) return true;
    if (pace.isOver(typeof element === 'string' ? 4 + (element.length >> 7) : 4)) yield pace.taken;
  }
  return false;
}

export function size(a: CelValue): CelValue {
  if (typeof a === 'string') return BigInt(codePointLength(a));
  if (a instanceof CelList || a instanceof CelMap) return BigInt(a.size);
  return a instanceof Uint8Array ? BigInt(a.length) : noSuchOverload('size', a);
}
