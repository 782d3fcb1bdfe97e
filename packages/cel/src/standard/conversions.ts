import { type Overload, overload } from '../checking/function-declaration.ts';
import { formatDuration, parseDuration } from '../values/duration.ts';
import { formatTimestamp, parseTimestamp, timestampOf } from '../values/timestamp.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  INT,
  STRING,
  TIMESTAMP,
  UINT,
  type ValueOf,
} from '../values/types.ts';
import { CelError, type CelValue, type Duration, type Uint } from '../values/values.ts';
import { int64, uint64 } from './operators.ts';

const TRUE_WORDS = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE_WORDS = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);
const FLOAT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const SPECIAL_FLOATS = new Map([
  ['inf', Number.POSITIVE_INFINITY],
  ['infinity', Number.POSITIVE_INFINITY],
  ['nan', Number.NaN],
]);
/** The maximum length of a number; longer strings are not parsed. */
const MAX_NUMBER_LENGTH = 1024;

function parsed<V extends CelValue>(value: V | undefined, from: CelType, to: CelType): V {
  if (value === undefined) throw new CelError(`type conversion error from '${from.name}' to '${to.name}'`);
  return value;
}

function parseInteger(text: string, pattern: RegExp): bigint | undefined {
  return text.length <= MAX_NUMBER_LENGTH && pattern.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined;
}

function parseInt64(text: string): bigint | undefined {
  const value = parseInteger(text, /^[+-]?\d+$/);
  return value === undefined || BigInt.asIntN(64, value) !== value ? undefined : value;
}

function parseUint64(text: string): Uint | undefined {
  const value = parseInteger(text, /^\d+$/);
  return value === undefined || BigInt.asUintN(64, value) !== value ? undefined : uint64(value);
}

function parseDouble(text: string): number | undefined {
  if (text.length > MAX_NUMBER_LENGTH) return undefined;
  if (FLOAT.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : undefined;
  }
  const special = SPECIAL_FLOATS.get(text.replace(/^[+-]/, '').toLowerCase());
  return special !== undefined && text.startsWith('-') ? -special : special;
}

function parseBool(text: string): boolean | undefined {
  if (TRUE_WORDS.has(text)) return true;
  return FALSE_WORDS.has(text) ? false : undefined;
}

/** Formats a double with the fewest digits that identify it, with an exponent for very large and very small values. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power < -4 || power >= 6) {
    const sign = power < 0 ? '-' : '+';
    return `${mantissa}e${sign}${String(Math.abs(power)).padStart(2, '0')}`;
  }
  return expand(mantissa, power);
}

/** Formats a mantissa and a power of ten in decimal notation. */
function expand(mantissa: string, power: number): string {
  const sign = mantissa.startsWith('-') ? '-' : '';
  const digits = mantissa.replace(/[-.]/g, '');
  if (power < 0) return `${sign}0.${'0'.repeat(-power - 1)}${digits}`;
  if (digits.length <= power + 1) return `${sign}${digits.padEnd(power + 1, '0')}`;
  return `${sign}${digits.slice(0, power + 1)}.${digits.slice(power + 1)}`;
}

function doubleToInt(value: number): bigint {
  if (!Number.isFinite(value) || value <= -(2 ** 63) || value >= 2 ** 63) throw new CelError('integer overflow');
  return BigInt(Math.trunc(value));
}

function doubleToUint(value: number): Uint {
  if (!Number.isFinite(value) || value < 0 || value >= 2 ** 64) throw new CelError('unsigned integer overflow');
  return uint64(BigInt(Math.trunc(value)));
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function bytesToString(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new CelError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

function from<T extends CelType, R extends CelType>(
  id: string,
  source: T,
  target: R,
  convert: (value: ValueOf<T>) => ValueOf<R>,
): Overload {
  return overload<readonly [CelType]>({
    id,
    isMember: false,
    parameters: [source],
    result: target,
    call: (value) => convert(value as ValueOf<T>),
  });
}

function identity(type: CelType): Overload {
  return from(`${type.kind}_to_${type.kind}`, type, type, (value) => value);
}

/** Conversion functions by name, as overloads. */
export const CONVERSIONS: Readonly<Record<string, readonly Overload[]>> = {
  bool: [
    from('bool_to_bool', BOOL, BOOL, (b) => b),
    from('string_to_bool', STRING, BOOL, (s) => parsed(parseBool(s), STRING, BOOL)),
  ],
  bytes: [identity(BYTES), from('string_to_bytes', STRING, BYTES, (s) => new Uint8Array(Buffer.from(s)))],
  double: [
    identity(DOUBLE),
    from('int64_to_double', INT, DOUBLE, (i) => Number(i)),
    from('string_to_double', STRING, DOUBLE, (s) => parsed(parseDouble(s), STRING, DOUBLE)),
    from('uint64_to_double', UINT, DOUBLE, (u) => Number(u.value)),
  ],
  duration: [
    identity(DURATION),
    from('int64_to_duration', INT, DURATION, () => parsed<Duration>(undefined, INT, DURATION)),
    from('string_to_duration', STRING, DURATION, (s) => parsed(parseDuration(s), STRING, DURATION)),
  ],
  int: [
    from('int64_to_int64', INT, INT, (i) => i),
    from('double_to_int64', DOUBLE, INT, doubleToInt),
    from('duration_to_int64', DURATION, INT, (d) => d.nanos),
    from('string_to_int64', STRING, INT, (s) => parsed(parseInt64(s), STRING, INT)),
    from('timestamp_to_int64', TIMESTAMP, INT, (t) => BigInt(t.seconds)),
    from('uint64_to_int64', UINT, INT, (u) => int64(u.value)),
  ],
  string: [
    identity(STRING),
    from('bool_to_string', BOOL, STRING, String),
    from('bytes_to_string', BYTES, STRING, bytesToString),
    from('double_to_string', DOUBLE, STRING, formatDouble),
    from('duration_to_string', DURATION, STRING, formatDuration),
    from('int64_to_string', INT, STRING, String),
    from('timestamp_to_string', TIMESTAMP, STRING, formatTimestamp),
    from('uint64_to_string', UINT, STRING, (u) => String(u.value)),
  ],
  timestamp: [
    identity(TIMESTAMP),
    from('int64_to_timestamp', INT, TIMESTAMP, (i) => timestampOf(Number(i), 0)),
    from('string_to_timestamp', STRING, TIMESTAMP, (s) => parsed(parseTimestamp(s), STRING, TIMESTAMP)),
  ],
  uint: [
    from('uint64_to_uint64', UINT, UINT, (u) => u),
    from('double_to_uint64', DOUBLE, UINT, doubleToUint),
    from('int64_to_uint64', INT, UINT, (i) => uint64(i)),
    from('string_to_uint64', STRING, UINT, (s) => parsed(parseUint64(s), STRING, UINT)),
  ],
};
