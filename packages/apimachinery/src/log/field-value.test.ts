import { describe, expect, it } from 'vitest';
import { jsonValueOf, reasonOf, textValueOf } from './field-value.ts';

describe('the reason of a thrown value', () => {
  it('includes the causes', () => {
    const error = new Error('Failed', { cause: new Error('disk', { cause: 'full' }) });
    expect(reasonOf(error)).toBe('Failed: disk: full');
  });

  it('repeats no message', () =>
    expect(reasonOf(new Error('Failed: disk', { cause: new Error('disk') }))).toBe('Failed: disk'));

  it('ends when causes form a circle', () => {
    const error = new Error('a');
    error.cause = new Error('b', { cause: error });
    expect(reasonOf(error)).toBe('a: b');
  });

  it('is the text of a value that is not an Error', () => {
    expect(reasonOf('text')).toBe('text');
    expect(reasonOf(Object.create(null))).toBe('[object Object]');
  });
});

describe('a value', () => {
  it('of an error is its reason', () =>
    expect(jsonValueOf({ last: new Error('a', { cause: new Error('b') }) })).toEqual({ last: 'a: b' }));

  it('that JSON cannot represent is text', () => {
    expect(jsonValueOf({ big: 1n, when: new Date(0), never: new Date(Number.NaN), no: Symbol('s') })).toEqual({
      big: '1',
      when: '1970-01-01T00:00:00.000Z',
      never: 'Invalid Date',
      no: 'Symbol(s)',
    });
    expect(jsonValueOf(new Map([['a', new Set([1])]]))).toEqual({ a: [1] });
    expect(jsonValueOf(new Uint8Array(1_000))).toBe('1000 bytes');
  });

  it('that contains itself is cut off there', () => {
    const cyclic: Record<string, unknown> = { a: 1 };
    cyclic.self = cyclic;
    expect(jsonValueOf(cyclic)).toEqual({ a: 1, self: '...' });
    expect(textValueOf(cyclic)).toBe('{"a":1,"self":"..."}');
  });

  it('that occurs twice is written twice', () => {
    const shared = { a: 1 };
    expect(jsonValueOf([shared, shared])).toEqual([{ a: 1 }, { a: 1 }]);
  });

  it('that is huge is cut off, without reading all of it', () => {
    let reads = 0;
    const items = Array.from({ length: 100_000 }, (_, at) => ({
      get value() {
        reads++;
        return at;
      },
    }));
    const value = jsonValueOf(items);
    expect(Array.isArray(value) && value.at(-1)).toBe('...');
    expect(reads).toBeLessThan(300);
  });

  it('of long text is cut off', () =>
    expect(jsonValueOf('x'.repeat(10_000))).toBe(`${'x'.repeat(4_096)}... (10000 characters)`));

  it('that cannot be read is replaced by its type', () => {
    const broken = {
      get a(): string {
        throw new Error('no');
      },
    };
    expect(textValueOf(broken)).toBe('"[object Object]"');
  });
});
