import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GoRegexp, GoRegexpError } from './index.ts';

/** Pattern → texts it matches, and texts it does not; all as Go's regexp package answers. */
const matching: readonly (readonly [pattern: string, matches: readonly string[], others: readonly string[]])[] = [
  ['', ['', 'a'], []],
  ['^a$', ['a'], ['', 'aa', 'a\n']],
  ['(a|b)*c', ['c', 'abc'], ['ab']],
  ['^a{2,3}$', ['aa', 'aaa'], ['a', 'aaaa']],
  ['a{,2}', ['a{,2}'], ['aa']],
  ['[]a]', [']', 'a'], ['b']],
  ['[^a-z]', ['A', '-'], ['abc']],
  ['(?i)ABC', ['abc', 'aBc'], ['ab']],
  ['(?i)k', ['K', '\u212a'], ['l']],
  ['(?i:a)B', ['AB', 'aB'], ['ab']],
  ['\\d\\D', ['5a'], ['55', '٣a']],
  ['\\p{Greek}', ['α'], ['a']],
  ['^\\P{Lu}$', ['a'], ['A']],
  ['[[:alpha:]]+', ['a'], ['é', '1']],
  ['\\Q.*\\E', ['.*'], ['ab']],
  ['^\\x{1F600}$', ['😀'], ['😁']],
  ['^.$', ['😀', 'é'], ['\n', 'ab']],
  ['(?s)^.$', ['\n'], ['']],
  ['(?m)^b$', ['a\nb'], ['ab']],
  ['\\ba\\b', ['a', ' a '], ['ab', '_a']],
  ['a\\Bb', ['ab'], ['a b']],
  ['^(?P<n>a)(?<m>b)$', ['ab'], ['a']],
  ['^*', ['', 'x'], []],
  ['a|', ['', 'b'], []],
];

const refused: Readonly<Record<string, string>> = {
  '[a': 'missing closing ]: `[a`',
  '[b-a]': 'invalid character class range: `b-a`',
  '[[:foo:]]': 'invalid character class range: `[:foo:]`',
  '(a': 'missing closing ): `(a`',
  'a)': 'unexpected ): `a)`',
  '*': 'missing argument to repetition operator: `*`',
  'a**': 'invalid nested repetition operator: `**`',
  'a{1001}': 'invalid repeat count: `{1001}`',
  'a{3,2}': 'invalid repeat count: `{3,2}`',
  '(?=a)': 'invalid or unsupported Perl syntax: `(?=`',
  '(?<!a)': 'invalid named capture: `(?<!a)`',
  '(?P<>a)': 'invalid named capture: `(?P<>`',
  '\\pX': 'invalid character class range: `\\pX`',
  '\\8': 'invalid escape sequence: `\\8`',
  '\\': 'trailing backslash at end of expression: ``',
};

describe('regular expressions of Go', () => {
  it.each(matching)('%s matches what Go matches', (pattern, matches, others) => {
    const regexp = new GoRegexp(pattern);
    expect(matches.filter((text) => !regexp.test(text))).toEqual([]);
    expect(others.filter((text) => regexp.test(text))).toEqual([]);
  });

  it.each(Object.entries(refused))('%s is refused in the words of Go', (pattern, problem) => {
    expect(() => new GoRegexp(pattern)).toThrow(new GoRegexpError('x', 'y').constructor as typeof GoRegexpError);
    expect(() => new GoRegexp(pattern)).toThrow(`error parsing regexp: ${problem}`);
  });

  it('does not try every way to match', () => {
    expect(new GoRegexp('^(a+)+$').test(`${'a'.repeat(20_000)}b`)).toBe(false);
  });

  it('refuses what would grow beyond all bounds', () => {
    expect(() => new GoRegexp('((a{1000}){1000}){1000}')).toThrow('expression too large');
    expect(() => new GoRegexp('('.repeat(5000))).toThrow('expression nests too deeply');
  });

  const simple = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '^', '$'),
      fc.tuple(tie('node'), tie('node')).map(([left, right]) => `${left}${right}`),
      fc.tuple(tie('node'), tie('node')).map(([left, right]) => `(?:${left}|${right})`),
      fc
        .tuple(tie('node'), fc.constantFrom('*', '+', '?', '{0,2}', '{2}'))
        .map(([node, operator]) => `(?:${node})${operator}`),
    ),
  })).node;

  it('agrees with JavaScript where both mean the same', () => {
    fc.assert(
      fc.property(simple, fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 }), (pattern, text) => {
        expect(new GoRegexp(pattern).test(text)).toBe(new RegExp(pattern, 'u').test(text));
      }),
    );
  });
});
