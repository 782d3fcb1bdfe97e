import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChunkQueue } from '../../chunk-queue.ts';
import { SlabWriter } from './slabs.ts';

describe('SlabWriter', () => {
  it('returns the written bytes for any interleaving of streams and readers', async () => {
    const step = fc.record({
      stream: fc.nat(2),
      write: fc.nat(40_000),
      reads: fc.nat(2),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const streams = [0, 1, 2].map(() => {
          const queue = new ChunkQueue();
          const chunks = queue.chunks({ borrowed: true })[Symbol.asyncIterator]();
          return { queue, writer: new SlabWriter(), chunks, wanted: [] as Buffer[], seen: [] as Uint8Array[] };
        });
        const read = async ({ chunks, seen }: (typeof streams)[number]): Promise<boolean> => {
          const { done, value } = await chunks.next();
          // A copy, because the next read invalidates it.
          if (!done) seen.push(new Uint8Array(value));
          return !done;
        };
        for (const [i, { stream, write, reads }] of steps.entries()) {
          const { queue, writer, wanted } = streams[stream]!;
          // The memory is overwritten at once.
          const piece = Buffer.alloc(write, i + 1);
          wanted.push(Buffer.from(piece));
          writer.write(piece, queue);
          piece.fill(0);
          for (let n = 0; n < reads && queue.pendingBytes > 0; n++) await read(streams[stream]!);
        }
        for (const stream of streams) {
          stream.queue.end();
          while (await read(stream));
          expect(Buffer.concat(stream.seen).equals(Buffer.concat(stream.wanted))).toBe(true);
        }
      }),
    );
  });

  it('returns false when the queue is full', () => {
    const [writer, queue] = [new SlabWriter(), new ChunkQueue()];
    expect(writer.write(Buffer.alloc(100_000), queue)).toBe(true);
    expect(writer.write(Buffer.alloc(200_000), queue)).toBe(false);
    expect(queue.pendingBytes).toBe(300_000);
  });

  it('joins many small unread pieces', async () => {
    const [writer, queue] = [new SlabWriter(), new ChunkQueue()];
    for (let i = 0; i < 10_000; i++) writer.write(Buffer.from([i]), queue);
    queue.end();
    const lengths: number[] = [];
    for await (const chunk of queue.chunks()) lengths.push(chunk.length);
    expect(lengths).toEqual([10_000]);
  });
});
