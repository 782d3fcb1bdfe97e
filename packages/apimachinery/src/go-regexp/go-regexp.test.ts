import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGoRegexp, GoRegexp, GoRegexpBudgetError, GoRegexpError, StepBudget } from './index.ts';
import recorded from './testdata/go.json' with { type: 'json' };

/** Pattern → texts it matches, and texts it does not match, according to Go's regexp package. */
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

  it.each(Object.entries(refused))('%s is refused with Go’s message', (pattern, problem) => {
    expect(() => new GoRegexp(pattern)).toThrow(new GoRegexpError('x', 'y').constructor as typeof GoRegexpError);
    expect(() => new GoRegexp(pattern)).toThrow(`error parsing regexp: ${problem}`);
  });

  it('does not backtrack', () => {
    expect(new GoRegexp('^(a+)+$').test(`${'a'.repeat(20_000)}b`)).toBe(false);
  });

  it('refuses expressions that are too large', () => {
    expect(() => new GoRegexp('((a{1000}){1000}){1000}')).toThrow('invalid repeat count: `{1000}`');
    expect(() => new GoRegexp('a{1000}'.repeat(200))).toThrow('expression too large');
    expect(() => new GoRegexp('('.repeat(5000))).toThrow('expression nests too deeply');
    expect(() => new GoRegexp('a'.repeat(100_000))).toThrow('expression too large');
  });

  const positions = (match: { start: number; end: number } | undefined) =>
    match ? [match.start, match.end] : [-1, -1];

  it('finds matches and groups where Go finds them, and refuses what Go refuses', () => {
    const differences: unknown[] = [];
    for (const [pattern, ...rest] of recorded as [string, ...unknown[]][]) {
      if (rest.length === 1) {
        const [problem] = rest;
        let refusal = '';
        try {
          new GoRegexp(pattern);
        } catch (error) {
          refusal = (error as Error).message.replace('error parsing regexp: ', '');
        }
        if (refusal !== problem) differences.push({ pattern, problem, refusal });
        continue;
      }
      const regexp = new GoRegexp(pattern);
      for (let i = 0; i < rest.length; i += 3) {
        const [text, groups, all] = rest.slice(i, i + 3) as [string, number[], number[]];
        const found = {
          groups: regexp.findSubmatches(text)?.flatMap(positions) ?? [],
          all: regexp.findAll(text).flatMap(positions),
          first: regexp.find(text) ? positions(regexp.find(text)) : [],
          matches: regexp.test(text),
        };
        const expected = { groups, all, first: groups.slice(0, 2), matches: groups.length > 0 };
        if (JSON.stringify(found) !== JSON.stringify(expected)) differences.push({ pattern, text, expected, found });
      }
    }
    expect(differences).toEqual([]);
    expect(recorded.length).toBeGreaterThan(2000);
  });

  it('prefers the same match as Go in nested loops that can be empty', () => {
    const regexp = new GoRegexp('((?:(\\P{Lu}){2}|(((?s:.)){0,}?)?|b)){2,}');
    expect(regexp.findSubmatches('😀kaéAa\u212as')?.flatMap(positions)).toEqual([0, 6, 5, 6, 4, 5, 5, 6, 5, 6]);
    expect(regexp.findAll('😀kaéAa\u212as').flatMap(positions)).toEqual([0, 6, 7, 7, 8, 8, 9, 9]);
  });

  it('works with more states and characters than it caches', () => {
    const regexp = new GoRegexp('[ab]*a[ab]{12}c|\\p{Greek}{3}$');
    const noise = Array.from({ length: 20_000 }, (_, i) => (((i * 7919) >> 3) % 3 === 0 ? 'a' : 'b')).join('');
    const letters = Array.from({ length: 30_000 }, (_, i) => String.fromCodePoint(0x4e00 + (i % 20_000))).join('');
    expect(regexp.test(noise)).toBe(false);
    expect(regexp.test(letters + noise)).toBe(false);
    expect(regexp.test(`${letters + noise}a${'b'.repeat(12)}c`)).toBe(true);
    expect(regexp.test(`${noise + letters}αβγ`)).toBe(true);
  });

  it('evaluates a class that is repeated in brackets only once', () => {
    const regexp = new GoRegexp(`^(?i)[${'\\d\\pL[:punct:]x-za'.repeat(3000)}]+$`);
    const letters = Array.from({ length: 2000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('');
    expect(regexp.test(`${letters}A7,`)).toBe(true);
    expect(regexp.test(`${letters} `)).toBe(false);
  });

  it('throws when the budget has too few steps, and only then', () => {
    const regexp = new GoRegexp('a.*b|a');
    const text = 'a'.repeat(5000);
    expect(() => regexp.findAll(text, Infinity, new StepBudget(1_000_000))).toThrow(GoRegexpBudgetError);
    expect(regexp.findAll(text.slice(0, 100), Infinity, new StepBudget(1_000_000))).toHaveLength(100);
    const noise = Array.from({ length: 2000 }, (_, i) => ((i * i) % 7 < 3 ? 'a' : 'b')).join('');
    expect(() => new GoRegexp('(a|b)*a(a|b){500}c').test(noise, new StepBudget(100_000))).toThrow(GoRegexpBudgetError);
  });

  it('caches compiled expressions', () => {
    expect(compileGoRegexp('a+b')).toBe(compileGoRegexp('a+b'));
    for (let i = 0; i < 300; i++) compileGoRegexp(`a{${i}}`);
    expect(compileGoRegexp('a{299}')).toBe(compileGoRegexp('a{299}'));
    expect(() => compileGoRegexp('(')).toThrow('missing closing )');
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

  it('agrees with JavaScript on patterns that mean the same in both', () => {
    fc.assert(
      fc.property(simple, fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 }), (pattern, text) => {
        expect(new GoRegexp(pattern).test(text)).toBe(new RegExp(pattern, 'u').test(text));
      }),
    );
  });
});
