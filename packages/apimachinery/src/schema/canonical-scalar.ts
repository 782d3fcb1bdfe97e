import { canonicalQuantity } from '../quantity/index.ts';
import { canonicalDuration, canonicalMicroTime, canonicalTime } from '../time/index.ts';
import { canonicalBase64, encodeBase64 } from './base64.ts';
import { toInt64 } from './int64.ts';
import { NumberLiteral } from './number-literal.ts';
import type { ScalarKind } from './schema.ts';

/**
 * Thrown for a value that has no canonical form. `found` describes the value as Go does: `string`, `number 1.5`, `object`. `goType` is
 * the Go type that it was to become.
 */
export class TypeMismatch extends Error {
  override readonly name = 'TypeMismatch';
  readonly found: string;
  readonly goType: string | undefined;

  /** `goType` is given when it is not the field's own type. */
  constructor(found: string, goType?: string) {
    super(`json: cannot unmarshal ${found}`);
    this.found = found;
    this.goType = goType;
  }
}

/**
 * Returns the name of a JSON value in Go's decoding errors. With `printNumber` it includes the number, for a number that has the right
 * type but not a valid value.
 */
export function describeJson(value: unknown, printNumber = false): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (value === null) return 'null';
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof NumberLiteral) {
    return printNumber ? `number ${numberText(value)}` : 'number';
  }
  return 'object';
}

const numberText = (value: number | bigint | NumberLiteral): string =>
  value instanceof NumberLiteral ? value.text : String(value);

/** The canonical form of a scalar. `canonical` throws TypeMismatch for another JSON type, DecodeError or Error for an invalid text. */
export interface ScalarForm {
  readonly canonical: (value: unknown) => unknown;
  /** The JSON that Go prints for an unset value. */
  readonly zero: unknown;
  /** In Go it is a struct, which `omitempty` never omits. */
  readonly isStruct: boolean;
}

const typed =
  (type: 'string' | 'boolean') =>
  (value: unknown): unknown => {
    if (typeof value !== type) throw new TypeMismatch(describeJson(value));
    return value;
  };

/** For types that upstream decodes from a string themselves. */
const ofText =
  (canonical: (text: string) => unknown) =>
  (value: unknown): unknown => {
    if (typeof value !== 'string') throw new TypeMismatch(describeJson(value), 'string');
    return canonical(value);
  };

function canonicalInt32(value: unknown): number {
  if (typeof value === 'number' && (value | 0) === value) return value;
  throw new TypeMismatch(describeJson(value, true), 'int32');
}

function canonicalInt64(value: unknown): number | bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  const integer = typeof value === 'bigint' ? toInt64(value) : undefined;
  if (integer === undefined) throw new TypeMismatch(describeJson(value, true));
  return integer;
}

function canonicalDouble(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'bigint' && !(value instanceof NumberLiteral)) throw new TypeMismatch(describeJson(value));
  const number = Number(value);
  if (!Number.isFinite(number)) throw new TypeMismatch(describeJson(value, true));
  return number;
}

function canonicalQuantityValue(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return canonicalQuantity(value);
  // Upstream parses any JSON value as a quantity's text; `true` and `{}` are not quantities.
  return canonicalQuantity(value instanceof NumberLiteral ? value.text : describeJson(value));
}

function canonicalBytes(value: unknown): string {
  if (typeof value === 'string') return canonicalBase64(value);
  if (!Array.isArray(value)) throw new TypeMismatch(describeJson(value));
  const bytes = new Uint8Array(value.length);
  value.forEach((item: unknown, index) => {
    if (item === null) return;
    if (typeof item !== 'number' || (item & 255) !== item) throw new TypeMismatch(describeJson(item, true), 'uint8');
    bytes[index] = item;
  });
  return encodeBase64(bytes);
}

/** Replaces every NumberLiteral inside by its number. Returns the same value when there is none. */
export function withoutLiterals(value: unknown): unknown {
  if (value instanceof NumberLiteral) return value.valueOf();
  if (Array.isArray(value)) {
    const items = value.map(withoutLiterals);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const changed = entries.map(([key, child]): [string, unknown] => [key, withoutLiterals(child)]);
  // Object.fromEntries defines properties, so that `__proto__` stays an ordinary key.
  return changed.some(([, child], index) => child !== entries[index]![1]) ? Object.fromEntries(changed) : value;
}

const opaque: ScalarForm = { canonical: (value) => value, zero: null, isStruct: true };

export const scalarForms: Readonly<Record<ScalarKind, ScalarForm>> = {
  string: { canonical: typed('string'), zero: '', isStruct: false },
  bytes: { canonical: canonicalBytes, zero: null, isStruct: false },
  bool: { canonical: typed('boolean'), zero: false, isStruct: false },
  int32: { canonical: canonicalInt32, zero: 0, isStruct: false },
  int64: { canonical: canonicalInt64, zero: 0, isStruct: false },
  double: { canonical: canonicalDouble, zero: 0, isStruct: false },
  quantity: {
    canonical: canonicalQuantityValue,
    zero: '0',
    isStruct: true,
  },
  intOrString: {
    canonical: (value) => (typeof value === 'string' ? value : canonicalInt32(value)),
    zero: 0,
    isStruct: true,
  },
  time: { canonical: ofText(canonicalTime), zero: null, isStruct: true },
  microTime: { canonical: ofText(canonicalMicroTime), zero: null, isStruct: true },
  duration: { canonical: ofText(canonicalDuration), zero: '0s', isStruct: true },
  any: opaque,
  rawObject: opaque,
  unknownObject: opaque,
  fieldsV1: opaque,
};
