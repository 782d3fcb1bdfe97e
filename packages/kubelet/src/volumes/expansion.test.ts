import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expand, expandWithStatic } from './expansion.ts';

const values: Readonly<Record<string, string>> = { A: 'a', B: '$(A)', E: '', 'x y': 'z' };
const lookUp = (name: string): string | undefined => (Object.hasOwn(values, name) ? values[name] : undefined);

describe('variables in texts', () => {
  it.each([
    ['$(A)', 'a'],
    ['$(A)$(B)-$(E)', 'a$(A)-'],
    ['$$(A)', '$(A)'],
    ['$$$(A)', '$a'],
    ['$$$$(A)', '$$(A)'],
    ['$(C)', '$(C)'],
    ['$(A', '$(A'],
    ['$($$(A)', '$($$(A)'],
    ['$($$', '$($'],
    ['$A', '$A'],
    ['$[A]', '$[A]'],
    ['$', '$'],
    ['a$', 'a$'],
    ['$()', '$()'],
    ['$(x y)', 'z'],
    ['$($(A))', '$($(A))'],
    ['$x$$y$(A)', '$x$ya'],
    ['$é$(A)', '$éa'],
    ['$(A))', 'a)'],
    ['$\n$(A)', '$\na'],
  ])('%j is %j', (text, expanded) => expect(expand(text, lookUp)).toBe(expanded));

  it('can always be kept from being taken for such', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('$', '(', ')', 'A', 'é') }), (text) => {
        expect(expand(text.replaceAll('$', '$$$$'), lookUp)).toBe(text);
      }),
    );
  });

  it('of probes are those that the container itself spells out', () => {
    const env = [
      { name: 'A', value: '$(B)' },
      { name: 'N', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    ];
    expect(expandWithStatic(['$(A)', '[$(N)]', '$(B)'], env)).toEqual(['$(B)', '[]', '$(B)']);
  });
});
