import { toInt64 } from '../../schema/int64.ts';
import { NumberLiteral } from '../../schema/number-literal.ts';

/** The type of a scalar. Kubernetes treats a timestamp as a string, but one that must be quoted. */
export type ScalarTag = 'null' | 'bool' | 'int' | 'float' | 'timestamp' | 'str';

export interface ResolvedScalar {
  readonly tag: ScalarTag;
  readonly value: unknown;
}

const words = new Map<string, ResolvedScalar>();
const addWords = (tag: ScalarTag, value: unknown, texts: string): void => {
  for (const text of texts.split(' ')) words.set(text, { tag, value });
};
addWords('bool', true, 'y Y yes Yes YES true True TRUE on On ON');
addWords('bool', false, 'n N no No NO false False FALSE off Off OFF');
addWords('null', null, '~ null Null NULL');
words.set('', { tag: 'null', value: null });
addWords('float', Number.NaN, '.nan .NaN .NAN');
addWords('float', Number.POSITIVE_INFINITY, '.inf .Inf .INF +.inf +.Inf +.INF');
addWords('float', Number.NEGATIVE_INFINITY, '-.inf -.Inf -.INF');

const integer = /^([+-]?)(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|[1-9][0-9]*|0)$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const timestamp =
  /^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:(?:[Tt]| +)([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})?)?$/;

const maxUint64 = 2n ** 64n - 1n;

/**
 * Resolves an unquoted scalar by the rules of YAML 1.1 as Go's library implements them: `yes`, `off`, `0777` and `0x1F` are not strings,
 * sexagesimals are. Integers are exact; beyond int64 they are NumberLiterals.
 */
export function resolveScalar(text: string): ResolvedScalar {
  const word = words.get(text);
  if (word) return word;
  // After a leading point, an underscore must be between digits.
  if (/^\./.test(text)) return resolveFloat(text.replace(/(?<=[0-9])_(?=[0-9])/g, ''), text);
  if (!/^[-+0-9]/.test(text)) return { tag: 'str', value: text };
  if (isTimestamp(text)) return { tag: 'timestamp', value: text };
  const plain = text.replaceAll('_', '');
  return resolveInteger(plain) ?? resolveFloat(plain, text);
}

function resolveInteger(plain: string): ResolvedScalar | undefined {
  const match = integer.exec(plain);
  if (!match) return undefined;
  const digits = plain.slice(match[1]!.length);
  // Too long for 64 bits even in binary. Converting a number of millions of digits would take long.
  if (digits.length > 100 && digits.replace(/^0[xXbBoO]?0*/, '').length > 64) return undefined;
  const magnitude = BigInt(/^0[0-7]/.test(digits) ? `0o${digits}` : digits);
  const value = match[1] === '-' ? -magnitude : magnitude;
  const signed = toInt64(value);
  if (signed !== undefined) return { tag: 'int', value: signed };
  // In Go an unsigned integer has no sign, not even a plus.
  return match[1] === '' && value <= maxUint64 ? { tag: 'int', value: new NumberLiteral(String(value)) } : undefined;
}

function resolveFloat(plain: string, text: string): ResolvedScalar {
  const value = float.test(plain) ? Number(plain) : Number.NaN;
  return Number.isFinite(value) ? { tag: 'float', value } : { tag: 'str', value: text };
}

function isTimestamp(text: string): boolean {
  const match = timestamp.exec(text);
  if (!match) return false;
  const [, year, month, day, hour, minute, second, zone] = match;
  const withT = /[Tt]/.test(text);
  if (hour !== undefined && withT !== (zone !== undefined)) return false;
  const [zoneHour, zoneMinute] = zone?.slice(1).split(':') ?? [];
  return (
    isDate(Number(year), Number(month), Number(day)) &&
    Number(hour ?? 0) < 24 &&
    Number(minute ?? 0) < 60 &&
    Number(second ?? 0) < 60 &&
    Number(zoneHour || 0) <= 24 &&
    Number(zoneMinute || 0) < 60
  );
}

function isDate(year: number, month: number, day: number): boolean {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
