import { readFileSync } from 'node:fs';
import type { JSONSchemaProps } from '@coxswain/api/apiextensions/v1';
import { describe, expect, it } from 'vitest';
import { compileCustomResourceSchema } from './custom-resource-schema.ts';

interface Recorded {
  readonly old: unknown;
  readonly spec: unknown;
  /** Reason, field and message of each error. Absent when the update was accepted. */
  readonly causes?: readonly (readonly string[])[];
}

interface RecordedSchema {
  readonly name: string;
  readonly schema: JSONSchemaProps;
  readonly results: readonly Recorded[];
}

/** Updates of objects that were stored before their schema became stricter, and the answers of kube-apiserver. */
const recorded: readonly RecordedSchema[] = JSON.parse(
  readFileSync(new URL('./testdata/updates.json', import.meta.url), 'utf8'),
);

const objectWith = (spec: unknown) => ({
  apiVersion: 'rec.example.com/v1',
  kind: 'Rec',
  metadata: { name: 'x' },
  spec,
});

describe('updates are tolerated like by kube-apiserver', () => {
  describe.each(recorded)('$name', ({ schema, results }) => {
    const compiled = compileCustomResourceSchema({ type: 'object', properties: { spec: schema } }, { kind: 'Rec' });

    it.each(results.map((result) => [JSON.stringify(result.old), JSON.stringify(result.spec), result] as const))(
      '%s → %s',
      (_, __, { old, spec, causes = [] }) => {
        const object = objectWith(structuredClone(spec));
        compiled.prune(object);
        const errors = compiled.validate(object, { old: objectWith(old) });
        const found = errors.map((error) => [error.type, error.field, error.body()].join(' | '));
        expect(found.sort()).toEqual(causes.map((cause) => cause.join(' | ')).sort());
      },
    );
  });
});
