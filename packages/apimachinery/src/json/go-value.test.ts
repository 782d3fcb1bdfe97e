import { expect, it } from 'vitest';
import { conflictYaml } from '../patch/conflict-yaml.ts';
import { compareStrings, formatAsString, formatValue, parseIndex } from './go-value.ts';

// The texts are those of Go for the same values.

it.each([
  [{ b: [1, 1.5, null, 'x y'], a: {} }, 'map[a:map[] b:[1 1.5 <nil> x y]]'],
  [[true, [], -3], '[true [] -3]'],
  [123456789.5, '1.234567895e+08'],
  [123456.5, '123456.5'],
  [1e30, '1e+30'],
  [0.00001, '1e-05'],
  [0.0001, '0.0001'],
  [1e-7, '1e-07'],
  [1.5e-100, '1.5e-100'],
  [2n ** 60n, '1152921504606846976'],
  [null, '<nil>'],
])('formats %s', (value, text) => {
  expect(formatValue(value)).toBe(text);
});

it.each([
  ['x', 'x'],
  [1, '%!s(int64=1)'],
  [1.5, '%!s(float64=1.5)'],
  [true, '%!s(bool=true)'],
  [null, '%!s(<nil>)'],
  [['a', 1, null], '[a %!s(int64=1) <nil>]'],
  [{ a: 2n ** 60n }, 'map[a:%!s(int64=1152921504606846976)]'],
])('formats %s as if it were a string', (value, text) => {
  expect(formatAsString(value)).toBe(text);
});

it('sorts strings by their bytes', () => {
  expect(['\u{1f600}', 'b', '\uffff', '', 'ab', 'a', '\ud7ff'].sort(compareStrings)).toEqual([
    '',
    'a',
    'ab',
    'b',
    '\ud7ff',
    '\uffff',
    '\u{1f600}',
  ]);
});

it('parses indexes', () => {
  expect(parseIndex('-9223372036854775808')).toBe(-(2n ** 63n));
  expect(parseIndex('9223372036854775808')).toBe('strconv.Atoi: parsing "9223372036854775808": value out of range');
  expect(parseIndex(`-0${'0'.repeat(30)}7`)).toBe(-7n);
  expect(parseIndex('9'.repeat(1_000_000))).toContain('value out of range');
  expect(parseIndex('1_0')).toBe('strconv.Atoi: parsing "1_0": invalid syntax');
  expect(parseIndex('')).toBe('strconv.Atoi: parsing "": invalid syntax');
});

it('prints patches as YAML', () => {
  const patch = {
    'b-list': [{ y: 1, x: [] }, 'yes', '1', '', 'a: b', '#c', "it's"],
    a: { no: 'null', t: '2020-01-01', s: 'a\nb\n' },
    $patch: null,
  };
  expect(conflictYaml(patch)).toBe(`$patch: null
a:
  "no": "null"
  s: |
    a
    b
  t: "2020-01-01"
b-list:
- x: []
  "y": 1
- "yes"
- "1"
- ""
- 'a: b'
- '#c'
- it's
`);
});
