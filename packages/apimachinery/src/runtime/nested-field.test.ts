import { describe, expect, it } from 'vitest';
import * as nested from './nested-field.ts';

const object = () => ({
  name: 'x',
  spec: {
    replicas: 3,
    big: 2n ** 60n,
    ratio: 0.5,
    paused: true,
    none: null,
    list: ['a', 'b'],
    mixed: ['a', 1],
    labels: { app: 'web' },
    odd: { app: 1 },
  },
});

describe('getters', () => {
  it('give the value', () => {
    const o = object();
    expect(nested.nestedString(o, 'name')).toBe('x');
    expect(nested.nestedInt64(o, 'spec', 'replicas')).toBe(3);
    expect(nested.nestedInt64(o, 'spec', 'big')).toBe(2n ** 60n);
    expect(nested.nestedNumber(o, 'spec', 'ratio')).toBe(0.5);
    expect(nested.nestedBool(o, 'spec', 'paused')).toBe(true);
    expect(nested.nestedSlice(o, 'spec', 'mixed')).toBe(o.spec.mixed);
    expect(nested.nestedStringSlice(o, 'spec', 'list')).toBe(o.spec.list);
    expect(nested.nestedMap(o, 'spec', 'labels')).toBe(o.spec.labels);
    expect(nested.nestedStringMap(o, 'spec', 'labels')).toEqual({ app: 'web' });
    expect(nested.nestedField(o)).toBe(o);
  });

  it('give undefined for absent fields and for inherited properties', () => {
    expect(nested.nestedString(object(), 'spec', 'missing', 'deeper')).toBeUndefined();
    expect(nested.nestedField(object(), 'spec', 'none', 'deeper')).toBeUndefined();
    expect(nested.nestedField(object(), 'constructor', 'name')).toBeUndefined();
    expect(nested.nestedField(object(), '__proto__')).toBeUndefined();
    expect(nested.nestedStringSlice(object(), 'missing')).toBeUndefined();
    expect(nested.nestedStringMap(object(), 'missing')).toBeUndefined();
  });

  it.each([
    [
      () => nested.nestedString(object(), 'name', 'deeper'),
      '.name.deeper accessor error: x is of the type string, expected map[string]interface{}',
    ],
    [
      () => nested.nestedString(object(), 'spec', 'replicas'),
      '.spec.replicas accessor error: 3 is of the type int64, expected string',
    ],
    [
      () => nested.nestedInt64(object(), 'spec', 'ratio'),
      '.spec.ratio accessor error: 0.5 is of the type float64, expected int64',
    ],
    [
      () => nested.nestedBool(object(), 'spec', 'labels'),
      '.spec.labels accessor error: map[app:web] is of the type map[string]interface {}, expected bool',
    ],
    [
      () => nested.nestedMap(object(), 'spec', 'list'),
      '.spec.list accessor error: [a b] is of the type []interface {}, expected map[string]interface{}',
    ],
    [
      () => nested.nestedString(object(), 'spec', 'none'),
      '.spec.none accessor error: <nil> is of the type <nil>, expected string',
    ],
    [
      () => nested.nestedNumber(object(), 'spec', 'paused'),
      '.spec.paused accessor error: true is of the type bool, expected float64 or int64',
    ],
    [
      () => nested.nestedStringSlice(object(), 'spec', 'mixed'),
      '.spec.mixed accessor error: contains non-string key in the slice: 1 is of the type int64, expected string',
    ],
    [
      () => nested.nestedStringMap(object(), 'spec', 'odd'),
      '.spec.odd accessor error: contains non-string value in the map under key "app": 1 is of the type int64, expected string',
    ],
  ])('refuse other types: %#', (get, message) => {
    expect(get).toThrow(new Error(message));
  });
});

describe('setNestedField', () => {
  it('creates missing objects on the path, and sets a copy', () => {
    const target: Record<string, unknown> = {};
    const value = { a: [1] };
    nested.setNestedField(target, value, 'spec', 'template', 'x');
    value.a.push(2);
    expect(target).toEqual({ spec: { template: { x: { a: [1] } } } });
  });

  it('does not replace a value on the path that is not an object', () => {
    expect(() => nested.setNestedField(object(), 1, 'spec', 'replicas', 'x')).toThrow(
      new Error('value cannot be set because .spec.replicas is not a map[string]interface{}'),
    );
  });

  it('never reaches a prototype', () => {
    const target: Record<string, unknown> = {};
    nested.setNestedField(target, true, '__proto__', 'polluted');
    nested.setNestedField(target, true, 'constructor', 'prototype', 'polluted');
    expect({}).not.toHaveProperty('polluted');
    expect(JSON.stringify(target)).toBe(
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    );
  });
});

describe('removeNestedField', () => {
  it('removes only the field at the path', () => {
    const target = object();
    nested.removeNestedField(target, 'spec', 'labels', 'app');
    nested.removeNestedField(target, 'spec', 'missing', 'x');
    nested.removeNestedField(target, 'name', 'x');
    nested.removeNestedField(target, '__proto__', 'toString');
    expect(target).toEqual({ ...object(), spec: { ...object().spec, labels: {} } });
    expect({}.toString).toBeTypeOf('function');
  });
});
