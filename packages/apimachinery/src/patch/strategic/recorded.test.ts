import { expect, it } from 'vitest';
import type { JsonObject } from '../../json/go-value.ts';
import type { StructSchema } from '../../schema/schema.ts';
import { expectOutcome, loadCases, type Outcome, schemaOf } from '../patch.test-data.ts';
import { mergingMapsHaveConflicts } from './conflicts.ts';
import {
  applyStrategicMergePatch,
  createThreeWayMergePatch,
  createTwoWayMergePatch,
  mergeStrategicMergePatches,
} from './strategic-merge-patch.ts';

/**
 * Generated objects and patches, with the results of upstream's library. Of tens of thousands, the smallest one for each combination of
 * operation, directives and error.
 */
interface Recorded extends Outcome {
  op: 'apply' | 'two' | 'three' | 'combine' | 'conflicts';
  type: string;
  a: JsonObject;
  b: JsonObject;
  c: JsonObject;
  overwrite?: boolean;
}

const calls: Record<Recorded['op'], (recorded: Recorded, schema: StructSchema) => unknown> = {
  apply: ({ a, b }, schema) => applyStrategicMergePatch(a, b, schema),
  two: ({ a, b }, schema) => createTwoWayMergePatch(a, b, schema),
  three: ({ a, b, c, overwrite }, schema) => createThreeWayMergePatch(a, b, c, schema, { overwrite }),
  combine: ({ a, b }, schema) => mergeStrategicMergePatches(schema, a, b),
  conflicts: ({ a, b }, schema) => mergingMapsHaveConflicts(a, b, schema),
};

const all = loadCases<Recorded>('strategic-recorded');

it('has cases for every operation', () => {
  expect(new Set(all.map(([, { op }]) => op))).toEqual(new Set(Object.keys(calls)));
});

it.each(all.map(([index, recorded]) => [index, recorded.op, recorded.type, recorded] as const))(
  'case %s: %s of %s',
  (_index, op, type, recorded) => {
    const { a, b, c } = recorded;
    expectOutcome([a, b, c], () => calls[op](recorded, schemaOf(type)), recorded);
  },
);
