import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ControlFrameReader, frame, opcodes } from './websocket-frames.ts';

function controlsIn(bytes: Buffer, chunkLength: number): [number, string][] {
  const seen: [number, string][] = [];
  const reader = new ControlFrameReader((opcode, payload) => seen.push([opcode, Buffer.from(payload).toString('hex')]));
  for (let at = 0; at < bytes.length; at += chunkLength) reader.push(bytes.subarray(at, at + chunkLength));
  return seen;
}

describe('frame', () => {
  it.each([
    [0, [0x82, 0]],
    [125, [0x82, 125]],
    [126, [0x82, 126, 0, 126]],
    [65_535, [0x82, 126, 0xff, 0xff]],
    [65_536, [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]],
  ])('has the header of a message of %i bytes', (length, header) => {
    const bytes = frame(opcodes.binary, new Uint8Array(length).fill(7));
    expect([...bytes.subarray(0, header.length)]).toEqual(header);
    expect(bytes.length).toBe(header.length + length);
  });
});

describe('ControlFrameReader', () => {
  it('finds every control frame, however the bytes are split into chunks', () => {
    const message = fc.record({
      opcode: fc.constantFrom(1, 2),
      payload: fc.uint8Array({ maxLength: 70_000 }),
    });
    const control = fc.record({ opcode: fc.constantFrom(8, 9, 10), payload: fc.uint8Array({ maxLength: 125 }) });
    fc.assert(
      fc.property(
        fc.array(fc.oneof(message, control), { maxLength: 6 }),
        fc.integer({ min: 1, max: 100_000 }),
        (frames, cut) => {
          const bytes = Buffer.concat(frames.map(({ opcode, payload }) => frame(opcode, payload)));
          const expected = frames.filter(({ opcode }) => opcode >= 8);
          expect(controlsIn(bytes, cut)).toEqual(
            expected.map(({ opcode, payload }) => [opcode, Buffer.from(payload).toString('hex')]),
          );
        },
      ),
      { numRuns: 50 },
    );
  });

  it('unmasks payloads', () => {
    expect(controlsIn(Buffer.from([0x89, 0x83, 1, 2, 3, 4, 1, 3, 1]), 2)).toEqual([[opcodes.ping, '000102']]);
  });

  it('for any bytes never throws, and passes on no payload longer than a control frame may have', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 }), (chunks) => {
        const reader = new ControlFrameReader((opcode, payload) => {
          expect(opcode).toBeGreaterThanOrEqual(opcodes.close);
          expect(payload.length).toBeLessThanOrEqual(125);
        });
        for (const chunk of chunks) reader.push(chunk);
      }),
    );
  });
});
