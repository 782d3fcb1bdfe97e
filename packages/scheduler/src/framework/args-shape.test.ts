import { describe, expect, it } from 'vitest';
import { readArgsOfShape } from './args-shape.ts';

const shape = {
  name: 'string',
  count: 'integer',
  isOn: 'boolean',
  names: 'strings',
  part: { depth: 'integer' },
  parts: [{ depth: 'integer' }],
} as const;

describe('args of a plug-in', () => {
  it('are read as they are', () => {
    const args = { name: 'a', count: 3, isOn: false, names: ['x'], part: { depth: 1 }, parts: [{ depth: 2 }, {}] };
    expect(readArgsOfShape(args, shape)).toEqual(args);
  });

  it.each([undefined, null, {}])('may be empty: %j', (args) => {
    expect(readArgsOfShape(args, shape)).toEqual({});
  });

  it('may have null and undefined fields', () => {
    expect(readArgsOfShape({ name: null, part: null, parts: undefined }, shape)).toEqual({});
  });

  it('may have apiVersion and kind', () => {
    const { name } = readArgsOfShape({ apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'A', name: 'a' }, shape);
    expect(name).toBe('a');
  });

  it.each<[unknown, string]>([
    [{ nam: 'a' }, 'strict decoding error: unknown field "nam"'],
    [{ part: { x: 1 }, constructor: 1 }, 'strict decoding error: unknown field "part.x", unknown field "constructor"'],
    [{ parts: [{}, { x: 1 }] }, 'strict decoding error: unknown field "parts[1].x"'],
    ['a', 'failed decoding: args must be an object'],
    [{ name: 1 }, 'failed decoding: name must be of type string'],
    [{ count: 1.5 }, 'failed decoding: count must be of type integer'],
    [{ isOn: 'true' }, 'failed decoding: isOn must be of type boolean'],
    [{ names: 'a' }, 'failed decoding: names must be a list'],
    [{ names: ['a', 1] }, 'failed decoding: names[1] must be of type string'],
    [{ part: [] }, 'failed decoding: part must be an object'],
    [{ parts: {} }, 'failed decoding: parts must be a list'],
    [{ parts: [null] }, 'failed decoding: parts[0] must be an object'],
  ])('%j are refused', (args, message) => {
    expect(() => readArgsOfShape(args, shape)).toThrow(new Error(message));
  });
});
