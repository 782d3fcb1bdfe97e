import {
  clampInt64,
  compareScaled,
  dropDigits,
  int64TimesPow10,
  isInt64,
  maxInt64,
  minInt64,
  pow10,
} from './decimal.ts';
import { type Amount, parseAmount } from './parse.ts';
import { constructSuffix, type QuantityFormat } from './suffix.ts';

/** Powers of ten by upstream's names. */
export const Scale = {
  Nano: -9,
  Micro: -6,
  Milli: -3,
  Kilo: 3,
  Mega: 6,
  Giga: 9,
  Tera: 12,
  Peta: 15,
  Exa: 18,
} as const;

/** A cache of parsed texts: the objects of a cluster repeat the same few amounts. */
const lately = new Map<string, Quantity>();
const maxKept = 1000;
const maxKeptLength = 32;

/**
 * An exact amount of a resource, immutable. It keeps the format in which it was written, and prints itself in the canonical form of that
 * format: with the largest suffix that leaves no fraction.
 */
export class Quantity {
  readonly #amount: Amount;
  #text: string | undefined;

  private constructor(amount: Amount) {
    this.#amount = amount;
    this.#text = amount.text;
  }

  /** Parses `100m`, `1.5Gi`, `1e3`. Throws an Error with upstream's text when it is not a quantity. */
  static parse(text: string): Quantity {
    const known = lately.get(text);
    if (known) return known;
    const quantity = new Quantity(parseAmount(text));
    if (text.length <= maxKeptLength) {
      if (lately.size >= maxKept) lately.clear();
      lately.set(text, quantity);
    }
    return quantity;
  }

  /** Returns a whole number as a quantity. Throws a RangeError for a number that is not an integer. */
  static of(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
    return Quantity.#scaled(BigInt(value), 0, format);
  }

  /** Returns a quantity of `value` thousandths. */
  static ofMilli(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
    return Quantity.#scaled(BigInt(value), Scale.Milli, format);
  }

  /** Returns `value * 10^scale`. */
  static ofScaled(value: number | bigint, scale: number): Quantity {
    return Quantity.#scaled(BigInt(value), scale, 'DecimalSI');
  }

  static #scaled(unscaled: bigint, scale: number, format: QuantityFormat): Quantity {
    return new Quantity({ unscaled, scale, format, wide: !isInt64(unscaled) });
  }

  get format(): QuantityFormat {
    return this.#amount.format;
  }

  isZero(): boolean {
    return this.#amount.unscaled === 0n;
  }

  sign(): -1 | 0 | 1 {
    const { unscaled } = this.#amount;
    return unscaled === 0n ? 0 : unscaled > 0n ? 1 : -1;
  }

  /** Negative, zero or positive, as this is less than, equal to or greater than the other. */
  cmp(other: Quantity): number {
    const a = this.#amount;
    const b = other.#amount;
    return compareScaled(a.unscaled, a.scale, b.unscaled, b.scale);
  }

  /** Whether both are the same amount, whatever the format. */
  equals(other: Quantity): boolean {
    return this.cmp(other) === 0;
  }

  /** Returns the sum, in this format, or in the other's when this is zero. */
  add(other: Quantity): Quantity {
    const a = this.#amount;
    const b = other.#amount;
    const format = a.unscaled === 0n ? b.format : a.format;
    const wide = a.wide || b.wide;
    if (!wide && b.unscaled === 0n) return new Quantity({ unscaled: a.unscaled, scale: a.scale, format, wide });
    if (!wide && a.unscaled === 0n) return new Quantity({ unscaled: b.unscaled, scale: b.scale, format, wide });
    const scale = Math.min(a.scale, b.scale);
    const left = a.unscaled * pow10(a.scale - scale);
    const right = b.unscaled * pow10(b.scale - scale);
    const unscaled = left + right;
    const fits = !wide && isInt64(left) && isInt64(right) && isInt64(unscaled);
    return new Quantity({ unscaled, scale, format, wide: !fits });
  }

  /** Returns the difference, in the format that `add` would choose. */
  sub(other: Quantity): Quantity {
    return this.add(other.neg());
  }

  mul(factor: number | bigint): Quantity {
    const { unscaled, scale, format, wide } = this.#amount;
    const product = unscaled * BigInt(factor);
    if (product === 0n) return new Quantity({ unscaled: 0n, scale: unscaled === 0n ? scale : 0, format, wide });
    return new Quantity({ unscaled: product, scale, format, wide: wide || !staysNarrow(product, scale) });
  }

  neg(): Quantity {
    return new Quantity({ ...this.#amount, unscaled: -this.#amount.unscaled, text: undefined });
  }

  /** Returns the amount, rounded away from zero to a multiple of `10^scale`. */
  roundUp(scale: number): Quantity {
    const amount = this.#amount;
    if (amount.scale >= scale) return this;
    return new Quantity({
      ...amount,
      unscaled: dropDigits(amount.unscaled, scale - amount.scale),
      scale,
      text: undefined,
    });
  }

  /** Returns the amount in whole units, rounded away from zero. Beyond 2^53 it is the nearest double. */
  value(): number {
    return Number(this.scaledValue(0));
  }

  /** Returns the amount in thousandths, rounded away from zero. Beyond 2^53 it is the nearest double. */
  milliValue(): number {
    return Number(this.scaledValue(Scale.Milli));
  }

  /**
   * Returns the amount in units of `10^scale`, rounded away from zero, and limited to the range of an int64.
   * Differs from upstream: on overflow the result is the limit of the range, not zero or the low bits.
   */
  scaledValue(scale: number): bigint {
    const { unscaled, scale: own } = this.#amount;
    if (own < scale) return clampInt64(dropDigits(unscaled, scale - own));
    return int64TimesPow10(unscaled, own - scale) ?? (unscaled < 0n ? minInt64 : maxInt64);
  }

  /**
   * Returns the amount as an int64, if it is held as one: written without a fraction or smaller unit, and not so large that upstream uses
   * big decimals (`1Pi` and up). Undefined otherwise, even when it happens to be a whole number.
   */
  asInt64(): bigint | undefined {
    const { unscaled, scale, wide } = this.#amount;
    return wide || scale < 0 ? undefined : int64TimesPow10(unscaled, scale);
  }

  /** Returns the amount as a double, possibly with a rounding error. */
  asApproximateFloat(): number {
    const { unscaled, scale, wide } = this.#amount;
    // Upstream holds a big decimal in billionths, which affects the last digit.
    if (wide && scale > Scale.Nano) return Number(`${unscaled}e${scale - Scale.Nano}`) * 1e-9;
    return scale === 0 ? Number(unscaled) : Number(unscaled) * Number(`1e${scale}`);
  }

  /** Returns the canonical form. */
  toString(): string {
    this.#text ??= canonicalForm(this.#amount);
    return this.#text;
  }

  toJSON(): string {
    return this.toString();
  }
}

/** Whether upstream keeps a product as a scaled int64: it fits, and also fits in whole units. */
function staysNarrow(product: bigint, scale: number): boolean {
  if (!isInt64(product)) return false;
  return scale >= 0 ? int64TimesPow10(product, scale) !== undefined : product % pow10(-scale) === 0n;
}

function canonicalForm({ unscaled, scale, format }: Amount): string {
  if (unscaled === 0n) return '0';
  if (format !== 'BinarySI') return decimalForm(unscaled, scale, format);
  const whole = wholeUnits(unscaled, scale);
  // Small amounts have no binary suffix, and fractions would be lost.
  if (whole === undefined || (whole > -1024n && whole < 1024n)) return decimalForm(unscaled, scale, 'DecimalSI');
  let number = whole;
  let exponent = 0;
  while (number % 1024n === 0n) {
    number /= 1024n;
    exponent += 10;
  }
  return `${number}${exponent === 0 ? '' : constructSuffix('BinarySI', exponent)}`;
}

/** Returns undefined when there is a fraction. */
function wholeUnits(unscaled: bigint, scale: number): bigint | undefined {
  if (scale >= 0) return unscaled * pow10(scale);
  const divisor = pow10(-scale);
  return unscaled % divisor === 0n ? unscaled / divisor : undefined;
}

function decimalForm(unscaled: bigint, scale: number, format: QuantityFormat): string {
  const digits = unscaled.toString();
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 0x30) end--;
  const exponent = scale + digits.length - end;
  // Suffixes come in steps of a thousand.
  const zeros = ((exponent % 3) + 3) % 3;
  return digits.slice(0, end) + '0'.repeat(zeros) + constructSuffix(format, exponent - zeros);
}
