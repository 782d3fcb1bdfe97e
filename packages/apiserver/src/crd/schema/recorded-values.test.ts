import { readFileSync } from 'node:fs';
import type { JSONSchemaProps } from '@coxswain/api/apiextensions/v1';
import { parseJson, stringifyJson } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { compileCustomResourceSchema } from './custom-resource-schema.ts';

/** The outcome of a request to create an object. */
interface Outcome {
  readonly stored?: unknown;
  readonly warnings?: readonly string[];
  /** Reason, field and message of each error. */
  readonly causes?: readonly (readonly string[])[];
  readonly refused?: readonly [code: number, message: string];
}

interface Recorded<T> {
  readonly name: string;
  readonly kind?: string;
  readonly schema: JSONSchemaProps;
  readonly results: readonly T[];
}

const read = (file: string) => parseJson(readFileSync(new URL(`./testdata/${file}`, import.meta.url))).value;
const values = read('values.json') as Recorded<Outcome & { readonly spec: unknown }>[];
const objects = read('objects.json') as Recorded<Outcome & { readonly object: object }>[];

/** Sorted, since kube-apiserver reports errors in maps in random order. */
const inOrder = (causes: Outcome['causes'] = []): string[] => causes.map((cause) => cause.join(' | ')).sort();

function create(schema: JSONSchemaProps, kind: string, given: object): Outcome {
  const compiled = compileCustomResourceSchema(schema, { kind });
  const object: Record<string, unknown> = { apiVersion: 'rec.example.com/v1', kind, ...given };
  let paths: readonly string[];
  try {
    paths = compiled.prune(object);
  } catch (error) {
    return { refused: [400, `${kind} in version "v1" cannot be handled as a ${kind}: ${(error as Error).message}`] };
  }
  compiled.default(object);
  const errors = compiled.validate(object);
  const { apiVersion: _, kind: __, ...stored } = object;
  return {
    ...(paths.length > 0 && { warnings: paths.map((path) => `unknown field "${path}"`) }),
    ...(errors.length > 0 ? { causes: errors.map((error) => [error.type, error.field, error.body()]) } : { stored }),
  };
}

function expectSame(actual: Outcome, expected: Outcome): void {
  expect(actual.refused).toEqual(expected.refused);
  expect(inOrder(actual.causes)).toEqual(inOrder(expected.causes));
  expect(actual.warnings).toEqual(expected.warnings);
}

describe('values are handled like by kube-apiserver', () => {
  describe.each(values)('$name', ({ schema, results }) => {
    it.each(results.map((result) => [stringifyJson(result.spec), result] as const))('%s', (text, expected) => {
      const { value: spec } = parseJson(Buffer.from(text));
      const kind = /as a (Rec\d+)/.exec(expected.refused?.[1] ?? '')?.[1] ?? 'Rec';
      const metadata = { name: 'x' };
      const actual = create({ type: 'object', properties: { spec: schema } }, kind, { metadata, spec });
      expectSame(actual, expected);
      const wanted = expected.stored === undefined ? undefined : { metadata, spec: expected.stored ?? undefined };
      expect(actual.stored).toEqual(wanted);
    });
  });
});

describe('objects are handled like by kube-apiserver', () => {
  describe.each(objects)('$name', ({ schema, kind = '', results }) => {
    it.each(results.map((result) => [JSON.stringify(result.object), result] as const))('%s', (text, expected) => {
      const actual = create(schema, kind, JSON.parse(text));
      expectSame(actual, expected);
      const { generation: _, ...metadata } = (actual.stored as { metadata?: Record<string, unknown> })?.metadata ?? {};
      expect(actual.stored && { ...actual.stored, metadata }).toEqual(expected.stored);
    });
  });
});

describe('formats', () => {
  const { values: texts, accepted } = read('formats.json') as {
    values: string[];
    accepted: Record<string, string[] | 'all'>;
  };

  it.each(Object.entries(accepted))('%s', (format, expected) => {
    const schema: JSONSchemaProps = { type: 'object', properties: { text: { type: 'string', format } } };
    const compiled = compileCustomResourceSchema(schema, { kind: 'Rec' });
    const good = texts.filter((text) => compiled.validate({ text }).length === 0);
    expect(good).toEqual(expected === 'all' ? texts : expected);
  });
});
