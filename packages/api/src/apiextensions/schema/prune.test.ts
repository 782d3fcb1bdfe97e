import { describe, expect, it } from 'vitest';
import type { JSONSchemaProps } from '../../generated/apiextensions/v1.ts';
import { newStructural } from './new-structural.ts';
import { prune } from './prune.ts';

const string: JSONSchemaProps = { type: 'string' };
const known: JSONSchemaProps = { type: 'object', properties: { a: string } };
const open: JSONSchemaProps = { ...known, 'x-kubernetes-preserve-unknown-fields': true };

/** Returns the pruned value. */
function left(value: unknown, schema: JSONSchemaProps, isResource = false): unknown {
  prune(value, newStructural(schema), isResource);
  return value;
}

describe('pruning', () => {
  const cases: Readonly<Record<string, readonly [JSONSchemaProps, unknown, unknown]>> = {
    'drops fields that the schema does not specify': [known, { a: 'x', b: 'y' }, { a: 'x' }],
    'keeps unknown fields where they are preserved': [open, { a: 'x', b: { c: 1 } }, { a: 'x', b: { c: 1 } }],
    'drops unknown fields below a specified property of an object that preserves them': [
      { ...open, properties: { a: known } },
      { a: { a: 'x', b: 1 }, b: { c: 1 } },
      { a: { a: 'x' }, b: { c: 1 } },
    ],
    'descends into lists': [{ type: 'array', items: known }, [{ a: 'x', b: 1 }, 5], [{ a: 'x' }, 5]],
    'descends into additional properties': [
      { type: 'object', additionalProperties: known },
      { x: { a: 'x', b: 1 } },
      { x: { a: 'x' } },
    ],
    'drops all fields of objects inside untyped additional properties': [
      { type: 'object', additionalProperties: true },
      { x: { a: 1 }, y: 2 },
      { x: {}, y: 2 },
    ],
    'keeps the metadata of an embedded resource': [
      { ...known, 'x-kubernetes-embedded-resource': true },
      { kind: 'A', metadata: { z: 1 }, b: 1 },
      { kind: 'A', metadata: { z: 1 } },
    ],
  };

  it.each(Object.entries(cases))('%s', (_, [schema, value, expected]) => {
    expect(left(value, schema)).toEqual(expected);
  });

  it('keeps unspecified kind and metadata only at the root of a resource', () => {
    expect(left({ kind: 'A', b: { kind: 'A' } }, known, true)).toEqual({ kind: 'A' });
  });

  it('handles __proto__ and constructor as ordinary keys', () => {
    const pruned = left(JSON.parse('{"__proto__": {"x": 1}, "constructor": 1}'), open);
    expect(Object.keys(pruned as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as { x?: unknown }).x).toBeUndefined();
    expect(left(JSON.parse('{"constructor": 1}'), known)).toEqual({});
  });
});
