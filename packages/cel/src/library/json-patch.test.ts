import { describe, expect, it } from 'vitest';
import { CelEnvironment, CelList } from '../index.ts';
import { JSON_PATCH, JSONPatchValue, jsonPatchLibrary, kubernetesLibraries } from './index.ts';

const environment = new CelEnvironment({
  libraries: [...kubernetesLibraries, jsonPatchLibrary],
  resolveType: (name) => (name === JSON_PATCH.name ? JSON_PATCH : undefined),
});

const evaluate = (expression: string) => environment.compile(expression).program().evaluate(new Map());

describe('JSON patches built by an expression', () => {
  it('have the given fields', () => {
    const { value } = evaluate(
      `[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b'), value: {'x': 1}}, JSONPatch{op: 'remove', path: '/spec'}]`,
    );
    const patches = value instanceof CelList ? [...value].filter((patch) => patch instanceof JSONPatchValue) : [];
    expect(patches.map((patch) => [patch.text('op'), patch.text('path'), patch.text('from')])).toEqual([
      ['add', '/metadata/labels/a~1b', ''],
      ['remove', '/spec', ''],
    ]);
    expect(patches.map(({ value }) => value === undefined)).toEqual([false, true]);
  });

  it('can be compared, and their fields read', () => {
    expect(evaluate(`JSONPatch{op: 'test'} == JSONPatch{op: 'test'}`).value).toBe(true);
    expect(evaluate(`JSONPatch{op: 'test', value: 1} == JSONPatch{op: 'test'}`).value).toBe(false);
    expect(evaluate(`JSONPatch{op: 'test'}.op`).value).toBe('test');
  });

  it('refuse fields of the wrong type', () => {
    expect(() => environment.compile('JSONPatch{op: 1}')).toThrow(
      "expected type of field 'op' is 'string' but provided type is 'int'",
    );
    expect(evaluate('JSONPatch{op: dyn(true)}').error?.message).toContain("for JSONPatchType 'op' field");
  });
});
