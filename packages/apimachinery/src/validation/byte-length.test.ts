import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byteLength, isLongerThan } from './byte-length.ts';

describe('byteLength', () => {
  it('counts the bytes that an encoder would write', () => {
    const encoder = new TextEncoder();
    // Any code units, so that lone surrogates occur too.
    const text = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: 'binary' })), fc.nat(40), (value, max) => {
        expect(byteLength(value)).toBe(encoder.encode(value).length);
        expect(isLongerThan(value, max)).toBe(encoder.encode(value).length > max);
      }),
    );
  });
});
