import { describe, expect, it } from 'vitest';
import { conflicts, equals, formatLabels, formatSet, merge } from './set.ts';

const hostile: Record<string, string> = JSON.parse('{"__proto__": "x"}');

describe('sets of labels', () => {
  it('are printed sorted', () => {
    expect(formatSet({ b: '1', a: '2' })).toBe('a=2,b=1');
    expect(formatSet(undefined)).toBe('');
    expect(formatLabels({})).toBe('<none>');
    expect(formatLabels({ a: '' })).toBe('a=');
  });

  it('conflict when a label has two values', () => {
    expect(conflicts({ a: '1' }, { a: '2', b: '1' })).toBe(true);
    expect(conflicts({ a: '1' }, { a: '1', b: '1' })).toBe(false);
    expect(conflicts({ a: '1' }, { b: '2' })).toBe(false);
    expect(conflicts({ toString: 'x' }, {})).toBe(false);
  });

  it('are merged into a new one, the second winning', () => {
    const first = { a: '1', b: '1' };
    expect(merge(first, { b: '2', c: '2' })).toEqual({ a: '1', b: '2', c: '2' });
    expect(first).toEqual({ a: '1', b: '1' });
    expect(merge(undefined, undefined)).toEqual({});
    expect(Object.entries(merge(hostile, undefined))).toEqual([['__proto__', 'x']]);
  });

  it('are equal whatever the order', () => {
    expect(equals({ a: '1', b: '2' }, { b: '2', a: '1' })).toBe(true);
    expect(equals({ a: '1' }, { a: '2' })).toBe(false);
    expect(equals({ a: '1' }, { a: '1', b: '2' })).toBe(false);
    expect(equals(hostile, { a: 'x' })).toBe(false);
  });
});
