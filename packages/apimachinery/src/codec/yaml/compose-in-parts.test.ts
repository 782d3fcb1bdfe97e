import fc from 'fast-check';
import { expect, it } from 'vitest';
import { completed } from '../../steps/index.ts';
import { composeFirstDocument } from './compose.ts';
import { stringifyYaml } from './emitter.ts';

const json = fc.jsonValue({ maxDepth: 5 });

/** Returns the value of the document, or 'no YAML'. */
function composed(text: string, partTokens: number): unknown {
  try {
    return completed(composeFirstDocument(text, partTokens)).document?.toJS();
  } catch {
    return 'no YAML';
  }
}

it.each([0, 3, 10])('composes the same document in parts of %i tokens', (partTokens) => {
  const same = (text: string): void =>
    expect(composed(text, partTokens)).toEqual(composed(text, Number.POSITIVE_INFINITY));
  fc.assert(
    fc.property(
      json,
      fc.nat(),
      fc.constantFrom('', '[', ']', '{', '}', ',', ': ', '- ', '\n', ' ', '"', '&a ', '#'),
      (value, at, damage) => {
        for (const text of [
          stringifyYaml(value),
          JSON.stringify(value, undefined, 1),
          `%YAML 1.1\n---\n${JSON.stringify(value)}`,
        ]) {
          same(text);
          const place = at % (text.length + 1);
          same(`${text.slice(0, place)}${damage}${text.slice(place)}`);
        }
      },
    ),
  );
});

it.each([
  'a: &a [1, 2,]\nb: *a\n? c\n: - 1\n  -\n  - {d, e: , f: [g: 1, ]}\n',
  'a:\n- b: 1\n  c: [ # x\n   1,\n   2 ]\n\n# y\n- d: !x {e: |\n',
  'a: [1 , , 2]\n',
  'a: [1 2]\n',
  'a:\n  b: 1\n c: 2\n',
  'a: {b: 1\n  c: 2}\nd: 1\n',
  '{a: 1}\nb: 2\n',
])('composes the same from %j in parts', (text) => {
  for (const partTokens of [0, 1, 2, 5])
    expect(composed(text, partTokens)).toEqual(composed(text, Number.POSITIVE_INFINITY));
});
