import { describe, expect, it } from 'vitest';
import {
  getModifiedConfiguration,
  getOriginalConfiguration,
  LAST_APPLIED_CONFIG_ANNOTATION,
  setLastAppliedAnnotation,
} from './last-applied.ts';

const object = () => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'x', annotations: { [LAST_APPLIED_CONFIG_ANNOTATION]: 'old', z: '<&>\u2028é\u0001\b"' } },
  data: { b: null, a: 1.5e21 },
});

// The expectations are, byte for byte, the results of kubectl's function for the same objects.
const plain =
  '{"apiVersion":"v1","data":{"a":1.5e+21,"b":null},"kind":"ConfigMap","metadata":{"annotations":{"z":"\\u003c\\u0026\\u003e\\u2028é\\u0001\\b\\""},"name":"x"}}\n';

describe('getModifiedConfiguration', () => {
  it('writes the object without the configuration applied last', () => {
    expect(getModifiedConfiguration(object(), false)).toBe(plain);
  });

  it('writes the object with itself as the configuration applied last', () => {
    const annotated = getModifiedConfiguration(object(), true);
    expect(JSON.parse(annotated)).toEqual({
      ...object(),
      metadata: {
        name: 'x',
        annotations: { [LAST_APPLIED_CONFIG_ANNOTATION]: plain, z: object().metadata.annotations.z },
      },
    });
    expect(annotated.endsWith('}\n')).toBe(true);
  });

  it.each([
    ['an object without annotations', { metadata: { name: 'x' } }, '{"metadata":{"annotations":{},"name":"x"}}\n'],
    ['an object without metadata', {}, '{"metadata":{"annotations":{}}}\n'],
    ['null for an annotation', { metadata: { annotations: { a: null } } }, '{"metadata":{"annotations":{"a":""}}}\n'],
    [
      'an annotation that is not a string',
      { metadata: { annotations: { a: 'b', c: 1 } } },
      '{"metadata":{"annotations":{}}}\n',
    ],
    ['integers beyond 2^53', { a: 2n ** 60n }, '{"a":1152921504606846976,"metadata":{"annotations":{}}}\n'],
    [
      'keys in the order of their bytes',
      { '\u{1f600}': 1, '\uffff': 2 },
      '{"metadata":{"annotations":{}},"\uffff":2,"\u{1f600}":1}\n',
    ],
  ])('copes with %s', (_, input, text) => {
    expect(getModifiedConfiguration(input, false)).toBe(text);
  });

  it('does not modify the object', () => {
    const input = object();
    getModifiedConfiguration(input, true);
    setLastAppliedAnnotation(input);
    expect(input).toEqual(object());
  });
});

it('sets and finds the configuration applied last', () => {
  const annotated = setLastAppliedAnnotation(object());
  expect(getOriginalConfiguration(annotated)).toBe(plain);
  expect(setLastAppliedAnnotation(annotated)).toEqual(annotated);
  expect(getOriginalConfiguration({ metadata: {} })).toBeUndefined();
});
