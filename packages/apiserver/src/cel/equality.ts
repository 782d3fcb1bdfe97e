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
} from './values.ts';

/** Shared values can make a small expression compare astronomically large trees; comparing stops after this many steps. */
const MAX_STEPS = 250_000;

class Steps {
  private left = MAX_STEPS;
  take(): void {
    if (--this.left < 0) throw new CelError('operation cancelled: values too large to compare');
  }
}

/** CEL equality: numbers by value across types, NaN unequal to itself, values of different types unequal. */
export function celEquals(a: CelValue, b: CelValue): boolean {
  if (a instanceof OpaqueValue && b !== null) return a.equals(b);
  if (typeof a !== 'object' && typeof a === typeof b) return a === b;
  if (typeof a === 'string' || typeof b === 'string' || typeof a === 'boolean' || typeof b === 'boolean') return false;
  return deepEquals(a, b, new Steps());
}

function deepEquals(a: CelValue, b: CelValue, steps: Steps): boolean {
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
  steps.take();
  if (a instanceof CelList) return b instanceof CelList && listEquals(a, b, steps);
  if (a instanceof CelMap) return b instanceof CelMap && mapEquals(a, b, steps);
  if (a instanceof Timestamp) return b instanceof Timestamp && a.seconds === b.seconds && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof TypeValue)
    return b instanceof TypeValue && (a.type.name === b.type.name || sameType(a.type, b.type));
  if (a instanceof OpaqueValue) return a.equals(b);
  if (!(b instanceof Optional)) return false;
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return deepEquals(a.value, b.value, steps);
}

function listEquals(a: CelList, b: CelList, steps: Steps): boolean {
  const custom = a.customEquals(b) ?? b.customEquals(a);
  if (custom !== undefined) return custom;
  if (a.size !== b.size) return false;
  for (let i = 0; i < a.size; i++) {
    steps.take();
    if (!deepEquals(a.at(i), b.at(i), steps)) return false;
  }
  return true;
}

function mapEquals(a: CelMap, b: CelMap, steps: Steps): boolean {
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    steps.take();
    const other = b.get(key);
    const value = a.get(key);
    if (other === undefined || value === undefined || !deepEquals(value, other, steps)) return false;
  }
  return true;
}

/** Orders int, uint and double by value: negative, 0, positive, or undefined if not comparable (NaN, not a number). */
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

/** The integer is rounded to a double first, as in the reference implementation. */
function compareDouble(double: number, integer: bigint): number | undefined {
  if (Number.isNaN(double)) return undefined;
  const other = Number(integer);
  return double < other ? -1 : double > other ? 1 : 0;
}
