import { pipeline, Readable, type Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ArchiveError } from '../tar/index.ts';
import { nodeZstdDecoder } from './zstd.ts';

type Compression = 'none' | 'gzip' | 'zstd';

/** Larger than Node's 16 KiB: fewer trips to the thread pool. */
const chunkSize = 256 * 1024;

/** Returns how a stream is compressed, by its first bytes. */
function compressionOf(beginning: Buffer): Compression {
  if (beginning[0] === 0x1f && beginning[1] === 0x8b && beginning[2] === 8) return 'gzip';
  if (beginning.length < 4) return 'none';
  const magic = beginning.readUInt32LE(0);
  // A frame, or one that a decoder skips.
  return magic === 0xfd2fb528 || (magic & 0xfffffff0) >>> 0 === 0x184d2a50 ? 'zstd' : 'none';
}

/** Decompresses what Node cannot. */
export type Decoder = (source: AsyncIterable<Buffer>) => AsyncIterable<Buffer>;

/**
 * Decompresses a stream, however it is compressed. It works in threads of Node or in a process of its own, and no further ahead than a few
 * chunks. Damaged data rejects with `ArchiveError`. Ending the iteration ends `source`.
 */
export async function* decompress(
  source: AsyncIterable<Buffer>,
  zstdDecoder: Decoder,
): AsyncGenerator<Buffer, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  const beginning: Buffer[] = [];
  for (let length = 0; length < 4; ) {
    const { done, value } = await iterator.next();
    if (done) break;
    beginning.push(value);
    length += value.length;
  }
  const first = Buffer.concat(beginning);
  const whole = startingWith(first, iterator);
  const compression = compressionOf(first);
  if (compression === 'none') yield* whole;
  else {
    const decoder = compression === 'gzip' ? createGunzip({ chunkSize }) : nodeZstdDecoder(chunkSize);
    yield* decoder ? decoded(whole, decoder, compression) : zstdDecoder(whole);
  }
}

async function* decoded(
  source: AsyncIterable<Buffer>,
  decoder: Transform,
  compression: Compression,
): AsyncGenerator<Buffer, void, undefined> {
  const input = Readable.from(source, { objectMode: false, highWaterMark: chunkSize });
  let sourceFailure: Error | undefined;
  input.once('error', (error) => {
    sourceFailure = error;
  });
  // A failure ends the iteration of the decoder.
  pipeline(input, decoder, () => {});
  try {
    for await (const chunk of decoder) yield chunk;
  } catch (error) {
    if (sourceFailure) throw sourceFailure;
    throw new ArchiveError(`the ${compression} data is damaged: ${(error as Error).message}`, { cause: error });
  } finally {
    input.destroy();
    decoder.destroy();
  }
}

async function* startingWith(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  try {
    if (first.length > 0) yield first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
