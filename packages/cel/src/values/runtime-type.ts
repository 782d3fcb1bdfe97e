import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  TIMESTAMP,
  TYPE,
  UINT,
} from './types.ts';
import { CelList, CelMap, type CelValue, Duration, OpaqueValue, Optional, Timestamp, Uint } from './values.ts';

const LIST = listOf(DYN);
const MAP = mapOf(DYN, DYN);
const OPTIONAL = optionalOf(DYN);

/** Returns the result of `type(value)`. */
export function runtimeType(value: CelValue): CelType {
  switch (typeof value) {
    case 'boolean':
      return BOOL;
    case 'bigint':
      return INT;
    case 'number':
      return DOUBLE;
    case 'string':
      return STRING;
  }
  if (value === null) return NULL;
  if (value instanceof CelList) return LIST;
  if (value instanceof CelMap) return value.objectType ?? MAP;
  if (value instanceof Uint) return UINT;
  if (value instanceof Timestamp) return TIMESTAMP;
  if (value instanceof Duration) return DURATION;
  if (value instanceof Uint8Array) return BYTES;
  if (value instanceof Optional) return OPTIONAL;
  return value instanceof OpaqueValue ? value.celType : TYPE;
}

/** Reports whether a value can be passed for a parameter. Of collections, only the first element is checked. */
export function matchesType(value: CelValue, type: CelType): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'typeParam':
    case 'error':
      return true;
    case 'list': {
      if (!(value instanceof CelList)) return false;
      const element = type.parameters[0];
      return element === undefined || value.size === 0 || matchesType(value.at(0), element);
    }
    case 'map': {
      if (!(value instanceof CelMap)) return false;
      const [keyType, valueType] = type.parameters;
      for (const key of value.keys()) {
        const first = value.get(key);
        return (
          (keyType === undefined || matchesType(key, keyType)) &&
          (valueType === undefined || first === undefined || matchesType(first, valueType))
        );
      }
      return true;
    }
    case 'object':
      return runtimeType(value).name === type.name || (value instanceof CelMap && value.objectType === undefined);
    default:
      return runtimeType(value).name === type.name;
  }
}

/** Reports whether all characters are ASCII. */
export function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

/** For texts longer than this, a check for ASCII comes before counting. */
const LONG_TEXT = 64;

/** Returns the number of Unicode code points. */
export function codePointLength(text: string): number {
  let length = text.length;
  if (length > LONG_TEXT && isAscii(text)) return length;
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      length--;
      i++;
    }
  }
  return length;
}

/** Returns the size that cost functions use: that of `size()`, or 1 for values without size. */
export function costSize(value: CelValue): number {
  if (typeof value === 'string') return codePointLength(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof Optional) return value.value === undefined ? 1 : costSize(value.value);
  return value instanceof OpaqueValue ? value.costSize : 1;
}
