import { describe, expect, it } from 'vitest';
import { parseInt64 } from '../strconv/parse-int.ts';
import {
  getScaledValueFromIntOrPercent,
  intValue,
  isInt,
  isIntOrString,
  isPercentage,
  parseIntOrString,
} from './int-or-string.ts';

describe('getScaledValueFromIntOrPercent', () => {
  it.each<[value: number | string, total: number, roundUp: boolean, scaled: number]>([
    [5, 10, true, 5],
    ['25%', 10, true, 3],
    ['25%', 10, false, 2],
    ['100%', 3, false, 3],
    ['150%', 3, true, 5],
    ['-10%', 15, true, -1],
    ['-10%', 15, false, -2],
    ['-10%', 5, true, 0],
    ['33%', 0, true, 0],
    ['007%', 100, true, 7],
  ])('%s of %d, rounded up: %s', (value, total, roundUp, scaled) => {
    expect(getScaledValueFromIntOrPercent(value, total, roundUp)).toBe(scaled);
  });

  it.each<[value: string | undefined, message: string]>([
    [undefined, 'nil value for IntOrString'],
    ['5', 'invalid value for IntOrString: invalid type: string is not a percentage'],
    ['a%', 'invalid value for IntOrString: invalid value "a%": strconv.Atoi: parsing "a": invalid syntax'],
    ['%', 'invalid value for IntOrString: invalid value "%": strconv.Atoi: parsing "": invalid syntax'],
    ['1.5%', 'invalid value for IntOrString: invalid value "1.5%": strconv.Atoi: parsing "1.5": invalid syntax'],
    [
      '99999999999999999999%',
      'invalid value for IntOrString: invalid value "99999999999999999999%": strconv.Atoi: parsing "99999999999999999999": value out of range',
    ],
  ])('refuses %s', (value, message) => {
    expect(() => getScaledValueFromIntOrPercent(value, 10, true)).toThrow(new Error(message));
  });
});

describe('parseIntOrString', () => {
  it.each<[text: string, value: number | string, number: number]>([
    ['80', 80, 80],
    ['+80', 80, 80],
    ['-1', -1, -1],
    ['007', 7, 7],
    ['2147483647', 2147483647, 2147483647],
    ['2147483648', '2147483648', 2147483648],
    ['http', 'http', 0],
    ['5%', '5%', 0],
    ['1_0', '1_0', 0],
    ['', '', 0],
  ])('%j', (text, value, number) => {
    expect(parseIntOrString(text)).toBe(value);
    expect(intValue(parseIntOrString(text))).toBe(number);
  });
});

describe('the kinds of IntOrString', () => {
  it('are distinguished', () => {
    expect([80, 'http', 0.5, 2 ** 31, null, true, 80n, {}].map(isIntOrString)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
    expect([isInt(1), isInt('1')]).toEqual([true, false]);
    expect([isPercentage('5%'), isPercentage('-5%'), isPercentage('%'), isPercentage(5)]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('parseInt64', () => {
  it('accepts exactly the range of an int64', () => {
    expect(parseInt64('9223372036854775807')).toBe(2n ** 63n - 1n);
    expect(parseInt64('-9223372036854775808')).toBe(-(2n ** 63n));
    expect(parseInt64('9223372036854775808')).toBeUndefined();
    expect(parseInt64(`+${'0'.repeat(100)}12`)).toBe(12n);
    expect(parseInt64('1'.repeat(1_000_000))).toBeUndefined();
    expect(['', '+', '1.0', ' 1', '0x1', '1e3'].map(parseInt64)).toEqual(Array(6).fill(undefined));
  });
});
