import fc from 'fast-check';
import { expect, it } from 'vitest';
import { JsonDepthError } from './depth.ts';
import { diffJson, formatJsonDiff, formatJsonPath } from './diff.ts';
import { jsonEquals } from './equals.ts';
import { nested } from './json.test-data.ts';

const lines = (from: unknown, to: unknown): string[] => formatJsonDiff(diffJson(from, to));

it.each<[string, unknown, unknown, string[]]>([
  ['a value', { spec: { replicas: 1 } }, { spec: { replicas: 3 } }, ['spec.replicas: 1 -> 3']],
  [
    'a label',
    { metadata: { labels: {} } },
    { metadata: { labels: { 'app.kubernetes.io/name': 'web' } } },
    ['metadata.labels[app.kubernetes.io/name]: + "web"'],
  ],
  ['a removed item', { ports: [{ port: 80 }, { port: 81 }] }, { ports: [{ port: 80 }] }, ['ports[1]: - {"port":81}']],
  ['an added item', { a: [1] }, { a: [1, 2] }, ['a[1]: + 2']],
  ['inside an item', [{ a: 1 }], [{ a: 2 }], ['[0].a: 1 -> 2']],
  ['another type', { a: [] }, { a: {} }, ['a: [] -> {}']],
  ['the root', 1, 'x', ['<root>: 1 -> "x"']],
  ['a bigint', { a: 1 }, { a: 2n ** 60n }, ['a: 1 -> 1152921504606846976']],
  ['a removed key and an added one', { a: 1 }, { b: undefined }, ['a: - 1', 'b: + undefined']],
])('reports %s', (_, from, to, expected) => {
  expect(lines(from, to)).toEqual(expected);
});

it('reports changes exactly when the values differ', () => {
  const json = fc.jsonValue({ maxDepth: 3, stringUnit: fc.constantFrom('a', 'b') });
  fc.assert(
    fc.property(json, json, (a, b) => {
      expect(diffJson(a, a)).toEqual([]);
      expect(diffJson(a, b).length === 0).toBe(jsonEquals(a, b));
    }),
  );
});

it('prints paths like field paths', () => {
  expect(formatJsonPath(['spec', 'containers', 0, 'env', 'a.b'])).toBe('spec.containers[0].env[a.b]');
  expect(formatJsonPath([])).toBe('<root>');
});

it('refuses values nested too deeply', () => {
  expect(() => diffJson(nested(5000), nested(5001))).toThrow(JsonDepthError);
});
