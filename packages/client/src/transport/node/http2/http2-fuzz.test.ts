import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { TransportError } from '../../transport.ts';
import { FrameReader } from './frame-reader.ts';
import { frameTypes } from './frames.ts';
import { longestHeaderList } from './header-blocks.ts';
import { HpackDecoder } from './hpack-decoder.ts';
import { HpackEncoder } from './hpack-encoder.ts';
import { overheadBytes } from './hpack-static-table.ts';
import { Http2Error } from './http2-error.ts';
import { closeAll, connectTo, framed, get, scripted, settings } from './raw-http2-server.test-data.ts';

afterEach(closeAll);

const bytes = (maxLength: number): fc.Arbitrary<Buffer> => fc.uint8Array({ maxLength }).map((all) => Buffer.from(all));
/** Frames as servers send them, on known and unknown streams, some with invalid flags. */
const aFrame = fc.oneof(
  { weight: 5, arbitrary: fc.constant(framed(frameTypes.headers, 4, 1, [0x88])) },
  { weight: 5, arbitrary: bytes(50).map((payload) => framed(frameTypes.data, 0, 1, payload)) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.integer({ min: 0, max: 10 }), fc.nat(0xff), fc.constantFrom(0, 1, 2, 3), bytes(40))
      .map(([type, flag, stream, payload]) => framed(type, flag, stream, payload)),
  },
  { weight: 1, arbitrary: bytes(20) },
);
const changes = fc.array(fc.tuple(fc.nat(), fc.nat(0xff)), { maxLength: 4 });
/** A sequence of frames with some bytes changed. */
const received = fc.tuple(fc.array(aFrame, { maxLength: 20 }), changes).map(([frames, changed]) => {
  const all = Buffer.concat([settings, ...frames]);
  for (const [at, value] of changed) all[at % all.length] = value;
  return all;
});

/** The frames read from the bytes in these chunks; parts of DATA are joined. */
function read(all: Buffer, cuts: readonly number[]): unknown[] {
  const seen: unknown[][] = [];
  let onData: { stream: number; text: string } | undefined;
  const reader = new FrameReader({
    onData(stream, piece, isEnd) {
      onData ??= { stream, text: '' };
      onData.text += piece.toString('hex');
      if (isEnd) seen.push(['end', stream]);
    },
    onFrame(...frame) {
      if (onData) seen.push(['data', onData.stream, onData.text]);
      onData = undefined;
      seen.push([...frame.slice(0, 3), frame[3].toString('hex')]);
    },
  });
  const at = [0, ...cuts.map((cut) => cut % (all.length + 1)).sort((a, b) => a - b), all.length];
  try {
    // A copy that is overwritten afterwards, because the reader must not retain it.
    for (let i = 1; i < at.length; i++) {
      const piece = Buffer.from(all.subarray(at[i - 1], at[i]));
      reader.push(piece);
      piece.fill(0xff);
    }
  } catch (error) {
    if (!(error instanceof Http2Error)) throw error;
    seen.push([error.message, error.http2Code]);
  }
  return [...seen, onData];
}

it('frames are the same for any chunks, and invalid ones are a protocol error', () => {
  fc.assert(
    fc.property(received, fc.array(fc.nat(), { maxLength: 30 }), (all, cuts) => {
      expect(read(all, cuts)).toEqual(read(all, []));
    }),
    { numRuns: 500 },
  );
});

it('a header block becomes a list of bounded size, or is a protocol error', () => {
  const name = fc.constantFrom(':status', 'content-type', 'a', 'x-b');
  const coded = fc.array(fc.tuple(name, fc.string({ maxLength: 300 })), { maxLength: 20 }).map((fields) => {
    const encoder = new HpackEncoder();
    encoder.begin();
    for (const [each, value] of fields) encoder.add(each, value);
    return Buffer.from(encoder.end());
  });
  const block = fc.oneof(
    bytes(2000),
    fc.tuple(coded, changes).map(([all, changed]) => {
      for (const [at, value] of changed) if (all.length > 0) all[at % all.length] = value;
      return all;
    }),
  );
  fc.assert(
    fc.property(fc.array(block, { maxLength: 10 }), fc.integer({ min: 0, max: 3 }), (blocks, times) => {
      const decoder = new HpackDecoder(longestHeaderList);
      try {
        for (const each of blocks) {
          const fields = decoder.decode(Buffer.concat(Array.from({ length: 10 ** times }, () => each)));
          const size = fields.reduce((sum, { name, value }) => sum + name.length + value.length + overheadBytes, 0);
          expect(size).toBeLessThanOrEqual(longestHeaderList);
        }
      } catch (error) {
        if (!(error instanceof Http2Error)) throw error;
      }
    }),
    { numRuns: 500 },
  );
});

it('whatever a server sends, a request succeeds or fails', async () => {
  await fc.assert(
    fc.asyncProperty(received, async (all) => {
      const { connection } = await connectTo(scripted((socket) => socket.end(all)));
      try {
        const { status, body } = await connection.send(get);
        expect(status).toBeGreaterThan(199);
        await body.bytes();
      } catch (error) {
        if (!(error instanceof TransportError)) throw error;
      }
      closeAll();
    }),
    { numRuns: 200 },
  );
});
