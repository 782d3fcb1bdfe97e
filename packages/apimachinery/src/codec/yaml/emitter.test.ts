import { expect, it } from 'vitest';
import { stringifyYaml } from './emitter.ts';

// As kubectl prints them.
it.each<[sentence: string, value: unknown, expected: string]>([
  ['a scalar', 'x', 'x\n'],
  ['null', null, 'null\n'],
  ['sorted keys', { b: 1, a: 2, B: 3, a10: 4, a2: 5, _: 6, 1: 7 }, '_: 6\n"1": 7\nB: 3\na: 2\na2: 5\na10: 4\nb: 1\n'],
  ['lists that are not indented', { a: [1, { b: 2, c: [3] }] }, 'a:\n- 1\n- b: 2\n  c:\n  - 3\n'],
  ['lists in lists', [[1, 2], [[3]], []], '- - 1\n  - 2\n- - - 3\n- []\n'],
  ['empty collections', { a: {}, b: [] }, 'a: {}\nb: []\n'],
  ['whole numbers', [9007199254740993n, 1e15, -5], '- 9007199254740993\n- 1000000000000000\n- -5\n'],
  ['fractions', [0.5, 1234567.5, 1e-7, 1e300], '- 0.5\n- 1.2345675e+06\n- 1e-07\n- 1e+300\n'],
  [
    'strings that look like other types',
    ['yes', '1', '0x1', '~', '', '1e3', '.5', '12:30', '2001-01-01', '.1_0'],
    '- "yes"\n- "1"\n- "0x1"\n- "~"\n- ""\n- "1e3"\n- ".5"\n- "12:30"\n- "2001-01-01"\n- ".1_0"\n',
  ],
  [
    'strings that do not look like other types',
    ['a:b', 'x#y', '-a', 'v1', '1.2.3', '12:99', 'a - b', '<<', '='],
    '- a:b\n- x#y\n- -a\n- v1\n- 1.2.3\n- 12:99\n- a - b\n- <<\n- =\n',
  ],
  [
    'strings that need quotes',
    ['a: b', ' x', 'x ', '- a', '#', "it's: ", '[', '---', '@', 'a #b', '*'],
    "- 'a: b'\n- ' x'\n- 'x '\n- '- a'\n- '#'\n- 'it''s: '\n- '['\n- '---'\n- '@'\n- 'a #b'\n- '*'\n",
  ],
  [
    'strings that need escapes',
    ['\t', 'a\u0000', '😀', '\u00a0', 'a \n', '\r'],
    '- "\\t"\n- "a\\0"\n- "\\U0001F600"\n- \u00a0\n- "a \\n"\n- "\\r"\n',
  ],
  [
    'several lines',
    { a: 'x\ny', b: 'x\n', c: 'x\n\n', d: ' x\ny', e: '\n' },
    'a: |-\n  x\n  y\nb: |\n  x\nc: |+\n  x\n\nd: |2-\n   x\n  y\ne: |2+\n\n',
  ],
  [
    'keys that are not simple',
    { 'a\nb': 1, yes: 2, ['k'.repeat(129)]: 3 },
    `? |-\n  a\n  b\n: 1\n? ${'k'.repeat(129)}\n: 3\n"yes": 2\n`,
  ],
  [
    'long lines, which are broken',
    { a: 'word '.repeat(20).trim(), b: `'${'word '.repeat(20)}` },
    `a: ${'word '.repeat(16).trim()}\n  word word word word\nb: '''${'word '.repeat(16).trim()}\n  word word word word '\n`,
  ],
])('prints %s', (_, value, expected) => {
  expect(stringifyYaml(value)).toBe(expected);
});

it('leaves out undefined', () => {
  expect(stringifyYaml({ a: undefined, b: 1 })).toBe('b: 1\n');
});

it('refuses circular values', () => {
  const cycle: unknown[] = [];
  cycle.push(cycle);
  expect(() => stringifyYaml(cycle)).toThrow('exceeded max depth');
});
