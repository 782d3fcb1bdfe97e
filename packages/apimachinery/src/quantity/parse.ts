import { dropDigits, isInt64, maxInt64 } from './decimal.ts';
import { interpretSuffix, type QuantityFormat, type Suffix } from './suffix.ts';

/** `unscaled * 10^scale`, with the other state that upstream keeps. */
export interface Amount {
  readonly unscaled: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
  /** Upstream would hold it as a big decimal, not as a scaled int64. `asInt64` distinguishes the two. */
  readonly wide: boolean;
  /** The text itself, when upstream considers it canonical. */
  readonly text?: string;
}

/** A number without its sign. */
interface Digits {
  /** Without leading zeros, and never empty. */
  readonly integer: string;
  readonly fraction: string;
  /** Whether there was no digit at all. */
  readonly missing: boolean;
}

const formatWrong = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const suffixWrong = "unable to parse quantity's suffix";
const numberWrong = 'unable to parse numeric part of quantity';

/** More lenient than the expression in the error, as upstream: digits may be missing altogether. */
const expression = /^([+-]?)([0-9]*)(?:\.([0-9]*))?((?:(?:[eEinumkKMGTP]+[-+]?|[-+])[0-9]*)?)$/;

const nano = -9;
const maxDecimalDigits = 18;
const maxBinaryDigits = 14;

/**
 * The decimal places that are read with a binary suffix. The result changes only at multiples of 10^-9 / 2^60, which have 69 decimal
 * places at most. Digits beyond a hundred places can move a number off such a multiple, but not past the next one, so rounding up has the
 * same effect.
 */
const maxBinaryPlaces = 100;

/**
 * Arithmetic takes time quadratic in the number of digits, and no amount needs so many.
 * Differs from upstream: it reads texts of any length.
 */
const maxLength = 256 * 1024;

/** Parses a quantity. Throws an Error with upstream's text when it is not one. */
export function parseAmount(text: string): Amount {
  if (text.length > maxLength) throw new Error(numberWrong);
  const match = text === '' ? null : expression.exec(text);
  if (!match) throw new Error(formatWrong);
  const suffix = interpretSuffix(match[4] ?? '');
  if (!suffix) throw new Error(suffixWrong);
  const [, sign, integer = '', fraction = ''] = match;
  const digits = { integer: integer.replace(/^0+/, '') || '0', fraction, missing: integer === '' && fraction === '' };
  const amount = parseNarrow(text, digits, suffix) ?? parseWide(digits, suffix);
  return sign === '-' ? { ...amount, unscaled: -amount.unscaled } : amount;
}

/** Returns the amount as a scaled int64; undefined when it may not fit into one. */
function parseNarrow(text: string, { integer, fraction }: Digits, { format, exponent }: Suffix): Amount | undefined {
  const binary = format === 'BinarySI';
  if (binary) {
    if (fraction !== '' || integer.length + Math.floor(exponent * 0.3) > maxBinaryDigits) return undefined;
  } else if (integer.length + fraction.length > maxDecimalDigits) {
    return undefined;
  }
  const scale = binary ? 0 : exponent - fraction.length;
  if (scale < nano) return undefined;
  const shifted = integer + fraction;
  const value = BigInt(shifted);
  const unscaled = binary ? value << BigInt(exponent) : value;
  if (!isInt64(unscaled)) return undefined;
  const canonical = binary
    ? (value & 7n) !== 0n
    : text === '0' || (scale % 3 === 0 && !shifted.endsWith('000') && !shifted.startsWith('0'));
  return { unscaled, scale, format, wide: false, ...(canonical && { text }) };
}

/** Returns any other amount. It is rounded up, so that less than a billionth does not become zero. */
function parseWide({ integer, fraction, missing }: Digits, { format, exponent }: Suffix): Amount {
  // As upstream: missing digits are zero only in an amount that fits into an int64.
  if (missing) throw new Error(numberWrong);
  if (format !== 'BinarySI') {
    const scale = exponent - fraction.length;
    return { unscaled: roundedUp(integer + fraction, nano - scale), scale: Math.max(nano, scale), format, wide: true };
  }
  const places = Math.min(fraction.length, maxBinaryPlaces);
  const digits = roundedUp(integer + fraction, fraction.length - places);
  const unscaled = dropDigits(digits << BigInt(exponent), places + nano);
  const scale = Math.max(nano, -places);
  const floor = unscaled / 10n ** BigInt(-scale);
  if (floor >= maxInt64) return { unscaled: maxInt64, scale: 0, format, wide: true };
  // A fraction of a byte cannot be written with a binary suffix.
  return { unscaled, scale, format: floor === 0n && unscaled !== 0n ? 'DecimalSI' : format, wide: true };
}

/** Returns the number without its last digits, plus one if any of those was not zero. The dropped digits are not converted. */
function roundedUp(digits: string, dropped: number): bigint {
  if (dropped <= 0) return BigInt(digits);
  const kept = digits.slice(0, Math.max(0, digits.length - dropped));
  return BigInt(kept) + (/[1-9]/.test(digits.slice(kept.length)) ? 1n : 0n);
}
