import { readFileSync } from 'node:fs';
import type { JSONSchemaProps } from '@coxswain/api/apiextensions/v1';
import { FieldManager, type KubernetesObject } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { compileCustomResourceSchema } from './custom-resource-schema.ts';

/** Applied configurations, and the fields that kube-apiserver records in managedFields. */
const recorded: {
  schema: JSONSchemaProps;
  results: { spec: unknown; fields?: unknown; refused?: [code: number, message: string] }[];
} = JSON.parse(readFileSync(new URL('./testdata/applied.json', import.meta.url), 'utf8'));

const apiVersion = 'rec.example.com/v1';
const kind = 'Recapl';

function managerOf(schema: JSONSchemaProps | undefined, preserveUnknownFields = false): FieldManager {
  const { structSchema } = compileCustomResourceSchema(schema, { kind, preserveUnknownFields });
  return new FieldManager({
    apiVersion,
    kind,
    versions: { schemaFor: () => structSchema, convert: (object) => object },
    emptyObject: () => ({ apiVersion, kind }),
    now: () => new Date(0),
  });
}

const apply = (manager: FieldManager, name: string, more: object): KubernetesObject =>
  manager.apply(undefined, { apiVersion, kind, metadata: { name }, ...more }, { manager: 'me' });

describe('managedFields of an applied configuration', () => {
  const manager = managerOf(recorded.schema);

  it.each(recorded.results.map((result) => [JSON.stringify(result.spec), result] as const))(
    '%s',
    (_, { spec, fields, refused }) => {
      const name = /\(\/(x\d+);/.exec(refused?.[1] ?? '')?.[1] ?? 'x';
      if (refused) expect(() => apply(manager, name, { spec })).toThrow(refused[1]);
      else expect(apply(manager, name, { spec }).metadata?.managedFields?.[0]?.fieldsV1).toEqual(fields);
    },
  );

  it('contain all of its fields for a kind without a schema', () => {
    const owned = { 'f:spec': { '.': {}, 'f:a': { '.': {}, 'f:b': {} }, 'f:l': {} } };
    const spec = { a: { b: 1 }, l: [{ c: 1 }] };
    const applied = apply(managerOf(undefined), 'x', { spec });
    expect(applied.metadata?.managedFields?.[0]?.fieldsV1).toEqual(owned);
    const preserving = managerOf({ type: 'object', properties: { status: { type: 'object' } } }, true);
    expect(apply(preserving, 'x', { spec }).metadata?.managedFields?.[0]?.fieldsV1).toEqual(owned);
  });
});
