import { decodeBase64 } from '@coxswain/apimachinery/schema';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { base64, decode, struct } from './decoder.ts';

const data = struct<{ readonly data?: string }>('T', { data: base64 });

it('accepts the same base64 as Go', () => {
  const nearly = fc.string({ unit: fc.constantFrom('A', 'b', '9', '+', '/', '=', '-', '\n', '\r'), maxLength: 12 });
  const right = fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('base64'));
  const outcome = (run: () => unknown): unknown => {
    try {
      return run();
    } catch (error) {
      return error instanceof Error ? error.message : error;
    }
  };
  fc.assert(
    fc.property(fc.oneof(nearly, right), (text) => {
      const ours = outcome(() => Buffer.from(decode(data, { data: text })?.data ?? '', 'base64').toString('hex'));
      const go = outcome(() => Buffer.from(decodeBase64(text)).toString('hex'));
      // The reported position of the error may differ.
      const isError = (value: unknown): boolean => String(value).startsWith('illegal base64 data');
      expect(isError(ours)).toBe(isError(go));
      if (!isError(go)) expect(ours).toBe(go);
    }),
    { numRuns: 500 },
  );
});
