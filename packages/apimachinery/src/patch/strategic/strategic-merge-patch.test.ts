import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../json/go-value.ts';
import { JsonDepthError } from '../../json/index.ts';
import { expectOutcome, kubectlPreconditions, loadCases, type Outcome, schemaOf } from '../patch.test-data.ts';
import { PatchConflictError, PatchError, PreconditionFailedError } from '../patch-error.ts';
import {
  applyStrategicMergePatch,
  createThreeWayMergePatch,
  createTwoWayMergePatch,
  mergeStrategicMergePatches,
} from './strategic-merge-patch.ts';

// The results and errors in the tables are those of upstream's library for the same input and the real Go type.

describe('applyStrategicMergePatch', () => {
  it.each(loadCases<{ type: string; original: JsonObject; patch: unknown } & Outcome>('strategic-apply'))(
    '%s',
    (_, { type, original, patch, ...outcome }) => {
      expectOutcome([original, patch], () => applyStrategicMergePatch(original, patch, schemaOf(type)), outcome);
    },
  );

  const pod = schemaOf('v1/Pod');

  it('treats null as an empty patch, and refuses other values that are not objects', () => {
    expect(applyStrategicMergePatch({ kind: 'Pod' }, null, pod)).toEqual({ kind: 'Pod' });
    expect(() => applyStrategicMergePatch({}, [], pod)).toThrow(
      new PatchError('json: cannot unmarshal array into Go value of type map[string]interface {}', 400),
    );
  });

  it.each([
    [400, { metadata: { $deleteFromPrimitiveList: ['a'] } }],
    [400, { metadata: { $setElementOrder: ['a'] } }],
    [400, { metadata: { $retainKeys: 1 } }],
    [400, 'x'],
    [422, { metadata: { finalizers: [['a']] } }],
    [500, { metadata: { $patch: 'x' } }],
    [500, { metadata: { ownerReferences: [{}] } }],
  ])('throws with code %i', (code, patch) => {
    const original = { metadata: { finalizers: [], ownerReferences: [{ uid: 'a' }] } };
    expect(() => applyStrategicMergePatch(original, patch, pod)).toThrow(expect.objectContaining({ code }));
  });

  it('refuses a list that begins with null, where upstream crashes', () => {
    expect(() =>
      applyStrategicMergePatch({ metadata: { finalizers: [] } }, { metadata: { finalizers: [null] } }, pod),
    ).toThrow('list element types are not identical: [[] [<nil>]]');
  });

  it('keeps repeated scalars in order when the patch adds none', () => {
    const original = { metadata: { finalizers: ['b', 'b', 'd', 'x'] } };
    expect(applyStrategicMergePatch(original, { metadata: { finalizers: [] } }, pod)).toEqual({
      metadata: { finalizers: ['b', 'd', 'x'] },
    });
  });

  it('shares nothing with object or patch', () => {
    const original = { metadata: { labels: { a: '1' } }, spec: { containers: [{ name: 'a', args: ['1'] }] } };
    const patch = { spec: { containers: [{ name: 'b', args: ['2'] }], nodeSelector: { x: 'y' } } };
    const result = JSON.stringify(applyStrategicMergePatch(original, patch, pod));
    const other = applyStrategicMergePatch(original, patch, pod);
    original.metadata.labels.a = 'changed';
    original.spec.containers[0]!.args.push('changed');
    patch.spec.containers[0]!.args.push('changed');
    patch.spec.nodeSelector.x = 'changed';
    expect(JSON.stringify(other)).toBe(result);
  });

  it('treats __proto__ as an ordinary key', () => {
    const patch: unknown = JSON.parse(
      '{"metadata":{"labels":{"__proto__":"x","constructor":null}},"__proto__":{"polluted":1}}',
    );
    const result = applyStrategicMergePatch({ metadata: { labels: { a: '1' } } }, patch, pod);
    expect(JSON.stringify(result)).toBe('{"metadata":{"labels":{"a":"1","__proto__":"x"}},"__proto__":{"polluted":1}}');
    expect({}).not.toHaveProperty('polluted');
  });

  it('refuses patches that are nested too deeply', () => {
    let patch: JsonObject = {};
    for (let i = 0; i < 5000; i++) patch = { a: patch };
    expect(() => applyStrategicMergePatch({}, patch, pod)).toThrow(JsonDepthError);
    expect(() => createTwoWayMergePatch({}, patch, pod)).toThrow(JsonDepthError);
    expect(() => mergeStrategicMergePatches(pod, patch)).toThrow(JsonDepthError);
  });
});

describe('createTwoWayMergePatch', () => {
  it.each(loadCases<{ type: string; original: JsonObject; modified: JsonObject } & Outcome>('strategic-two-way'))(
    '%s',
    (_, { type, original, modified, ...outcome }) => {
      expectOutcome([original, modified], () => createTwoWayMergePatch(original, modified, schemaOf(type)), outcome);
    },
  );

  it('throws when a precondition fails', () => {
    const create = () =>
      createTwoWayMergePatch(
        { metadata: { name: 'a' } },
        { metadata: { name: 'b' } },
        schemaOf('v1/Pod'),
        kubectlPreconditions,
      );
    expect(create).toThrow(PreconditionFailedError);
    expect(create).toThrow('precondition failed for: map[metadata:map[name:b]]');
  });
});

interface ThreeWayCase extends Outcome {
  type: string;
  overwrite: boolean;
  original?: JsonObject;
  modified: JsonObject;
  current: JsonObject;
}

describe('createThreeWayMergePatch', () => {
  it.each(loadCases<ThreeWayCase>('strategic-three-way'))(
    '%s',
    (_, { type, overwrite, original, modified, current, ...outcome }) => {
      const options = { overwrite, preconditions: kubectlPreconditions };
      expectOutcome(
        [original, modified, current],
        () => createThreeWayMergePatch(original, modified, current, schemaOf(type), options),
        outcome,
      );
    },
  );

  const labels = (x: string) => ({ metadata: { labels: { x } } });

  it('throws PatchConflictError for conflicts, PreconditionFailedError for failed preconditions', () => {
    const pod = schemaOf('v1/Pod');
    expect(() => createThreeWayMergePatch(labels('1'), labels('2'), labels('3'), pod)).toThrow(PatchConflictError);
    expect(() =>
      createThreeWayMergePatch({}, { kind: 'A' }, { kind: 'B' }, pod, { preconditions: kubectlPreconditions }),
    ).toThrow(PreconditionFailedError);
  });

  it('leaves lists of scalars in order when it compares them, where upstream sorts them', () => {
    const usages = (...list: string[]) => ({ spec: { usages: list } });
    const schema = schemaOf('certificates.k8s.io/v1/CertificateSigningRequest');
    const patch = createThreeWayMergePatch(usages('x'), usages('web', 'a'), usages('a', 'web'), schema);
    expect(patch).toEqual({ spec: { usages: ['web', 'a'] } });
  });
});
