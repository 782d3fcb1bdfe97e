import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChunkQueue } from '../transport/chunk-queue.ts';
import { TransportError } from '../transport/transport.ts';
import { readText } from './read-text.ts';

describe('readText', () => {
  it('equals the text decoded as a whole, for any chunks in reused memory', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'ä', '€', '😀', '\ufeff'), maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(60)), async (wanted, cuts) => {
        const bytes = Buffer.from(wanted);
        const at = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const body = new ChunkQueue();
        for (const [i, from] of at.slice(0, -1).entries()) {
          const memory = Buffer.from(bytes.subarray(from, at[i + 1]));
          body.write(memory, () => memory.fill('x'));
        }
        body.end();
        expect(await readText(body)).toEqual({ text: new TextDecoder().decode(bytes), size: bytes.length });
      }),
    );
  });

  it('returns U+FFFD for a truncated character, and rejects when the response is', async () => {
    const ended = new ChunkQueue();
    ended.write(Buffer.from('a€').subarray(0, 3));
    ended.end();
    expect(await readText(ended)).toEqual({ text: 'a\ufffd', size: 3 });
    const broken = new ChunkQueue();
    broken.write(Buffer.from('a'));
    broken.destroy();
    await expect(readText(broken)).rejects.toBeInstanceOf(TransportError);
  });
});
