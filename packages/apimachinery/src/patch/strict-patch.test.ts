import { expect, it } from 'vitest';
import { PatchError } from './patch-error.ts';
import { assertMergePatchObject, strictJsonPatchErrors } from './strict-patch.ts';

// Messages as a kube-apiserver sends them.

it('lists unknown fields of operations', () => {
  const patch = [
    { op: 'add', path: '/a', value: { novel: 1 }, zzz: 1, Op: 'add', 'a.b': 1 },
    null,
    { op: 'test', from: null },
  ];
  expect(strictJsonPatchErrors(patch)).toEqual([
    'json patch unknown field "[0].zzz"',
    'json patch unknown field "[0].Op"',
    'json patch unknown field "[0].a.b"',
  ]);
  expect(strictJsonPatchErrors(null)).toEqual([]);
});

it.each([
  [{}, 'json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
  ['x', 'json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp'],
  [['x'], 'json: cannot unmarshal string into Go value of type handlers.jsonPatchOp'],
  [[{ op: 'add', path: 1 }], 'json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string'],
  [[{ op: true }], 'json: cannot unmarshal bool into Go struct field jsonPatchOp.op of type string'],
])('refuses %j', (patch, message) => {
  expect(() => strictJsonPatchErrors(patch)).toThrow(new PatchError(`error decoding patch: ${message}`, 400));
});

it.each([
  [[], 'array'],
  ['x', 'string'],
  [1, 'number'],
])('refuses %j as a merge patch', (patch, kind) => {
  expect(() => assertMergePatchObject(patch)).toThrow(
    new PatchError(
      `error decoding patch: json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`,
      400,
    ),
  );
});

it('accepts an object as a merge patch, and null', () => {
  expect(() => assertMergePatchObject({})).not.toThrow();
  expect(() => assertMergePatchObject(null)).not.toThrow();
});
