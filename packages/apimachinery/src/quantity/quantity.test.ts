import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Quantity } from './quantity.ts';

const parse = Quantity.parse;

describe('Quantity', () => {
  it.each<[text: string, value: number, milliValue: number, asInt64: bigint | undefined]>([
    ['1', 1, 1000, 1n],
    ['100m', 1, 100, undefined],
    ['1500m', 2, 1500, undefined],
    ['1000m', 1, 1000, undefined],
    ['1n', 1, 1, undefined],
    ['1u', 1, 1, undefined],
    ['-1500m', -2, -1500, undefined],
    ['1.0000000001', 2, 1001, undefined],
    ['1k', 1000, 1_000_000, 1000n],
    ['1Ki', 1024, 1_024_000, 1024n],
    ['1.5Gi', 1_610_612_736, 1_610_612_736_000, undefined],
    ['0.1Ki', 103, 102_400, undefined],
    ['1Pi', 1_125_899_906_842_624, 1_125_899_906_842_624_000, undefined],
    ['1P', 1e15, 1e18, 10n ** 15n],
    ['9E', 9e18, 2 ** 63, 9n * 10n ** 18n],
    ['1e3', 1000, 1_000_000, 1000n],
    ['1e30', 2 ** 63, 2 ** 63, undefined],
    ['-1e30', -(2 ** 63), -(2 ** 63), undefined],
  ])('%s as integers', (text, value, milliValue, asInt64) => {
    const quantity = parse(text);
    expect(quantity.value()).toBe(value);
    expect(quantity.milliValue()).toBe(milliValue);
    expect(quantity.asInt64()).toBe(asInt64);
  });

  it.each<[a: string, b: string, sum: string, difference: string]>([
    ['100m', '900m', '1', '-800m'],
    ['1Gi', '512Mi', '1536Mi', '512Mi'],
    ['1Gi', '1', '1073741825', '1073741823'],
    ['0', '1Gi', '1Gi', '-1Gi'],
    ['1k', '1Ki', '2024', '-24'],
    ['1Ki', '1k', '2024', '24'],
    ['1e3', '1', '1001', '999'],
    ['9E', '9E', '18E', '0'],
    ['+1', '0', '1', '1'],
    ['0.1Ki', '0.9Ki', '1Ki', '-819200m'],
    ['1n', '1E', '1000000000000000000000000001n', '-999999999999999999999999999n'],
  ])('%s and %s are added and subtracted', (a, b, sum, difference) => {
    expect(parse(a).add(parse(b)).toString()).toBe(sum);
    expect(parse(a).sub(parse(b)).toString()).toBe(difference);
  });

  it.each<[text: string, factor: number, product: string, asInt64: bigint | undefined]>([
    ['100m', 3, '300m', undefined],
    ['128Mi', 8, '1Gi', 2n ** 30n],
    ['5', 0, '0', 0n],
    ['1', -2, '-2', -2n],
    ['9E', 2, '18E', undefined],
    ['1.5Gi', 2, '3Gi', undefined],
  ])('%s times %d', (text, factor, product, asInt64) => {
    expect(parse(text).mul(factor).toString()).toBe(product);
    expect(parse(text).mul(factor).asInt64()).toBe(asInt64);
  });

  it.each<[text: string, scale: number, rounded: string]>([
    ['1500m', 0, '2'],
    ['-1500m', 0, '-2'],
    ['1', 0, '1'],
    ['1n', -3, '1m'],
    ['1234567n', -6, '1235u'],
    ['1.5Gi', 3, '1610613000'],
  ])('%s rounds up to 10^%d', (text, scale, rounded) => {
    expect(parse(text).roundUp(scale).toString()).toBe(rounded);
  });

  it('makes quantities of numbers', () => {
    expect(Quantity.of(1024, 'BinarySI').toString()).toBe('1Ki');
    expect(Quantity.of(1000).toString()).toBe('1k');
    expect(Quantity.ofMilli(1500).toString()).toBe('1500m');
    expect(Quantity.ofScaled(5, 9).toString()).toBe('5G');
    expect(Quantity.of(2n ** 63n).asInt64()).toBeUndefined();
    expect(() => Quantity.of(0.5)).toThrow(RangeError);
    expect(JSON.stringify({ memory: Quantity.of(2048, 'BinarySI') })).toBe('{"memory":"2Ki"}');
  });

  it('approximates as a double', () => {
    expect(parse('300m').asApproximateFloat()).toBe(0.3);
    expect(parse('1Ki').asApproximateFloat()).toBe(1024);
    expect(parse('-2.5').asApproximateFloat()).toBe(-2.5);
  });

  it('compares amounts with extreme exponents, and refuses to add them', () => {
    const huge = parse('1e2147483647');
    expect(huge.cmp(parse('1'))).toBeGreaterThan(0);
    expect(huge.neg().cmp(parse('1e2147483646'))).toBeLessThan(0);
    expect(parse('1e-2147483648').equals(parse('1n'))).toBe(true);
    expect(parse('10e2147483646').equals(huge)).toBe(true);
    expect(parse(`1${'0'.repeat(150_000)}`).equals(parse('1e150000'))).toBe(true);
    expect(() => huge.add(parse('1'))).toThrow('quantity exponent 2147483647 is out of range');
  });
});

/** An exact fraction to compare with: numerator over 10^9. */
interface Sample {
  readonly text: string;
  readonly nanos: bigint;
}

const units: Record<string, bigint> = {
  n: 1n,
  u: 10n ** 3n,
  m: 10n ** 6n,
  '': 10n ** 9n,
  k: 10n ** 12n,
  M: 10n ** 15n,
  E: 10n ** 27n,
  e5: 10n ** 14n,
  'e-2': 10n ** 7n,
  Ki: 2n ** 10n * 10n ** 9n,
  Gi: 2n ** 30n * 10n ** 9n,
};

const ceilDiv = (a: bigint, b: bigint): bigint => (a % b === 0n ? a / b : a / b + 1n);

const sample: fc.Arbitrary<Sample> = fc
  .record({
    negative: fc.boolean(),
    integer: fc.bigInt({ min: 0n, max: 10n ** 24n }),
    fraction: fc.stringMatching(/^[0-9]{0,12}$/),
    unit: fc.constantFrom(...Object.keys(units)),
  })
  .filter(({ integer, unit }) => !unit.endsWith('i') || integer < 10n ** 8n)
  .map(({ negative, integer, fraction, unit }) => {
    const digits = BigInt(`${integer}${fraction}`);
    const nanos = ceilDiv(digits * units[unit]!, 10n ** BigInt(fraction.length));
    const sign = negative ? '-' : '';
    return { text: `${sign}${integer}.${fraction}${unit}`, nanos: negative ? -nanos : nanos };
  });

const equalsNanos = (quantity: Quantity, nanos: bigint): boolean => quantity.equals(Quantity.ofScaled(nanos, -9));
const awayFromZero = (a: bigint, b: bigint): bigint => (a < 0n ? -ceilDiv(-a, b) : ceilDiv(a, b));

describe('Quantity against exact fractions', () => {
  it('reads every text as the fraction it stands for, rounded up to billionths', () => {
    fc.assert(fc.property(sample, ({ text, nanos }) => equalsNanos(parse(text), nanos)));
  });

  it('adds, subtracts, negates and multiplies exactly', () => {
    fc.assert(
      fc.property(sample, sample, fc.integer({ min: -(10 ** 6), max: 10 ** 6 }), (a, b, factor) => {
        const [x, y] = [parse(a.text), parse(b.text)];
        return (
          equalsNanos(x.add(y), a.nanos + b.nanos) &&
          equalsNanos(x.sub(y), a.nanos - b.nanos) &&
          equalsNanos(x.neg(), -a.nanos) &&
          equalsNanos(x.mul(factor), a.nanos * BigInt(factor))
        );
      }),
    );
  });

  it('has the order of the fractions', () => {
    fc.assert(
      fc.property(sample, sample, (a, b) => {
        const order = a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;
        return Math.sign(parse(a.text).cmp(parse(b.text))) === order;
      }),
    );
  });

  it('rounds away from zero and stays within int64', () => {
    fc.assert(
      fc.property(sample, fc.constantFrom(-9, -3, 0, 3, 6), ({ text, nanos }, scale) => {
        const exact = awayFromZero(nanos, 10n ** BigInt(9 + scale));
        const limited = BigInt.asIntN(64, exact) === exact ? exact : exact > 0n ? 2n ** 63n - 1n : -(2n ** 63n);
        expect(parse(text).scaledValue(scale)).toBe(limited);
      }),
    );
  });

  it('prints a text that parses to the same amount, and prints that the same again', () => {
    // Beyond exa there is no decimal suffix left to print.
    const printable = sample.filter(({ nanos }) => nanos < 10n ** 29n && nanos > -(10n ** 29n));
    fc.assert(
      fc.property(printable, ({ text }) => {
        const quantity = parse(text).add(Quantity.of(0));
        const printed = quantity.toString();
        expect(parse(printed).equals(quantity)).toBe(true);
        expect(parse(printed).toString()).toBe(printed);
      }),
    );
  });
});
