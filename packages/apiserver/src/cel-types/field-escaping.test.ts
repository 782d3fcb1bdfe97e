import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeFieldName, unescapeFieldName } from './field-escaping.ts';

describe('escaped field names', () => {
  it.each<[string, string | undefined]>([
    ['name', 'name'],
    ['_name1', '_name1'],
    ['a.b', 'a__dot__b'],
    ['a-b', 'a__dash__b'],
    ['a/b', 'a__slash__b'],
    ['a__b', 'a__underscores__b'],
    ['a___b', 'a__underscores___b'],
    ['namespace', '__namespace__'],
    ['in', '__in__'],
    ['int', 'int'],
    ['__proto__', '__underscores__proto__underscores__'],
    ['constructor', 'constructor'],
    ['', undefined],
    ['1a', undefined],
    ['a b', undefined],
    ['ä', undefined],
    ['$ref', undefined],
  ])('%s', (name, escaped) => {
    expect(escapeFieldName(name)).toBe(escaped);
  });

  it.each(['__unknown__', 'a__namespace__', '__dot____in__'])('%s is not an escaped name', (name) => {
    expect(unescapeFieldName(name)).toBeUndefined();
  });

  it('unescape to the field', () => {
    // Underscores next to an escape are ambiguous, here as upstream.
    const plain = fc.string({ unit: fc.constantFrom('a', 'Z', '.', '-', '/'), minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(plain, (field) => {
        const escaped = escapeFieldName(field)!;
        expect(escaped).toMatch(/^[a-zA-Z_][a-zA-Z0-9_]*$/);
        expect(unescapeFieldName(escaped)).toBe(field);
      }),
    );
  });
});
