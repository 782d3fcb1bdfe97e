import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeValue, unescapeValue } from './escape.ts';
import { parse, parseAndTransform } from './parse.ts';
import { oneTermEqualSelector, oneTermNotEqualSelector, Selector } from './selector.ts';

describe('parse', () => {
  it.each<[text: string, canonical: string]>([
    ['', ''],
    ['a=b', 'a=b'],
    ['a==b', 'a=b'],
    ['a!=b', 'a!=b'],
    ['spec.nodeName!=y,metadata.name=x', 'metadata.name=x,spec.nodeName!=y'],
    ['a=', 'a='],
    ['a=b,', 'a=b'],
    [',', ''],
    ['=', ''],
    ['!=', ''],
    [' a = b ', ' a = b '],
    ['a=x\\,y', 'a=x\\,y'],
    ['a=x\\=y', 'a=x\\=y'],
    ['a=\\\\', 'a=\\\\'],
  ])('%j', (text, canonical) => {
    expect(parse(text).toString()).toBe(canonical);
  });

  it.each<[text: string, message: string]>([
    ['a', "invalid selector: 'a'; can't understand 'a'"],
    ['b=c,a', "invalid selector: 'b=c,a'; can't understand 'a'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a\\=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
    ['a=b\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['a=b\\😀', 'invalid field selector: invalid escape sequence: \\😀'],
  ])('refuses %j', (text, message) => {
    expect(() => parse(text)).toThrow(new Error(message));
  });

  it('unescapeValue refuses an unescaped comma', () => {
    expect(() => unescapeValue('a,b')).toThrow('invalid field selector: unescaped character in value: 44');
  });

  it('parses every value it prints', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        expect(unescapeValue(escapeValue(value))).toBe(value);
        const selector = oneTermEqualSelector('metadata.name', value);
        expect(parse(selector.toString()).requirements()).toEqual(selector.requirements());
      }),
    );
  });
});

describe('Selector', () => {
  it.each<[selector: string, fields: Record<string, string>, matches: boolean]>([
    ['', {}, true],
    ['a=b', { a: 'b' }, true],
    ['a=b', { a: 'c' }, false],
    ['a=b', {}, false],
    ['a=', {}, true],
    ['a!=', {}, false],
    ['a!=b', {}, true],
    ['a!=b', { a: 'b' }, false],
    ['a=b,c!=d', { a: 'b', c: 'e' }, true],
    ['a=b,c!=d', { a: 'b', c: 'd' }, false],
    ['toString=', {}, true],
  ])('%s on %j: %s', (selector, fields, matches) => {
    expect(parse(selector).matches(fields)).toBe(matches);
  });

  it('returns the value that a field must have', () => {
    expect(parse('a!=x,a=b,c=').requiresExactMatch('a')).toBe('b');
    expect(parse('c=').requiresExactMatch('c')).toBe('');
    expect(parse('a!=x').requiresExactMatch('a')).toBeUndefined();
    expect(Selector.nothing.requiresExactMatch('a')).toBeUndefined();
  });

  it('selects everything or nothing', () => {
    expect(Selector.everything.isEmpty()).toBe(true);
    expect(parse('').isEmpty()).toBe(true);
    expect(Selector.nothing.isEmpty()).toBe(false);
    expect(Selector.nothing.matches({})).toBe(false);
    expect(Selector.nothing.requirements()).toEqual([]);
    expect(Selector.nothing.transform((field, value) => [field, value])).toBe(Selector.nothing);
  });

  it('can be created from sets, single terms and other selectors', () => {
    expect(Selector.fromSet({ b: '1', a: '2' }).requirements()).toEqual([
      { field: 'b', operator: '=', value: '1' },
      { field: 'a', operator: '=', value: '2' },
    ]);
    expect(Selector.fromSet(undefined).isEmpty()).toBe(true);
    const both = Selector.and(oneTermEqualSelector('a', 'b'), oneTermNotEqualSelector('c', 'd,e'));
    expect(both.toString()).toBe('a=b,c!=d\\,e');
    expect(Selector.and(both, Selector.nothing)).toBe(Selector.nothing);
  });

  it('can be rewritten, and drops requirements that become empty', () => {
    const rewrite = (field: string, value: string) =>
      field === 'drop' ? (['', ''] as const) : ([`spec.${field}`, value.toUpperCase()] as const);
    expect(parseAndTransform('a=x,drop=y,b!=z', rewrite).toString()).toBe('spec.a=X,spec.b!=Z');
    const refuse = (): never => {
      throw new Error('field label not supported');
    };
    expect(() => parseAndTransform('a=x', refuse)).toThrow('field label not supported');
  });
});
