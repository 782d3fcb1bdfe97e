import { describe, expect, it } from 'vitest';
import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';
import { newStructural } from './new-structural.ts';
import { prune } from './prune.ts';

const string: JSONSchemaProps = { type: 'string' };
const known: JSONSchemaProps = { type: 'object', properties: { a: string } };
const open: JSONSchemaProps = { ...known, 'x-kubernetes-preserve-unknown-fields': true };

/** What is left of a value. */
function left(value: unknown, schema: JSONSchemaProps, isResource = false): unknown {
  prune(value, newStructural(schema), isResource);
  return value;
}

describe('pruning', () => {
  const cases: Readonly<Record<string, readonly [JSONSchemaProps, unknown, unknown]>> = {
    'drops fields that the schema does not know': [known, { a: 'x', b: 'y' }, { a: 'x' }],
    'keeps unknown fields where they are preserved': [open, { a: 'x', b: { c: 1 } }, { a: 'x', b: { c: 1 } }],
    'drops again below a known field': [
      { ...open, properties: { a: known } },
      { a: { a: 'x', b: 1 }, b: { c: 1 } },
      { a: { a: 'x' }, b: { c: 1 } },
    ],
    'goes through lists': [{ type: 'array', items: known }, [{ a: 'x', b: 1 }, 5], [{ a: 'x' }, 5]],
    'goes through additional properties': [
      { type: 'object', additionalProperties: known },
      { x: { a: 'x', b: 1 } },
      { x: { a: 'x' } },
    ],
    'empties what has additional properties of any kind': [
      { type: 'object', additionalProperties: true },
      { x: { a: 1 }, y: 2 },
      { x: {}, y: 2 },
    ],
    'leaves metadata of an embedded resource alone': [
      { ...known, 'x-kubernetes-embedded-resource': true },
      { kind: 'A', metadata: { z: 1 }, b: 1 },
      { kind: 'A', metadata: { z: 1 } },
    ],
  };

  it.each(Object.entries(cases))('%s', (_, [schema, value, expected]) => {
    expect(left(value, schema)).toEqual(expected);
  });

  it('knows metadata of a resource by itself only at the root', () => {
    expect(left({ kind: 'A', b: { kind: 'A' } }, known, true)).toEqual({ kind: 'A' });
  });

  it('does not reach the prototype', () => {
    const pruned = left(JSON.parse('{"__proto__": {"x": 1}, "constructor": 1}'), open);
    expect(Object.keys(pruned as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as { x?: unknown }).x).toBeUndefined();
    expect(left(JSON.parse('{"constructor": 1}'), known)).toEqual({});
  });
});
