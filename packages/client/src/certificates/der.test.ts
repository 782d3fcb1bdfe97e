import fc from 'fast-check';
import { expect, it } from 'vitest';
import { element, elements, oid } from './der.ts';

it('reads what it writes', () => {
  const content = fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ minLength: 65_500, maxLength: 65_600 }));
  const written = fc.array(fc.record({ tag: fc.nat(255), content }), { maxLength: 4 });
  fc.assert(
    fc.property(written, (parts) => {
      const bytes = Buffer.concat(parts.map(({ tag, content }) => element(tag, content)));
      const read = elements(bytes).map(({ tag, content }) => ({ tag, content: Uint8Array.from(content) }));
      expect(read).toEqual(parts);
    }),
    { numRuns: 50 },
  );
});

it('reads nothing that is cut off', () => {
  const bytes = element(0x30, Buffer.alloc(300));
  for (const length of [3, 4, 200, 303]) expect(() => elements(bytes.subarray(0, length))).toThrow(RangeError);
});

it('writes identifiers', () => {
  expect(Buffer.from(oid('1.2.840.113549.1.9.14')).toString('hex')).toBe('06092a864886f70d01090e');
});
