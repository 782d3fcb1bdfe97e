import { createHash } from 'node:crypto';
import { mkdir, rm, statfs } from 'node:fs/promises';
import { onAbort } from '@coxswain/apimachinery/abort';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { Commands } from '@coxswain/linux';
import { ArchiveError, TarReader, TarWriter } from '../tar/index.ts';
import { type Decoder, decompress } from './decompress.ts';
import type { LayerLimits } from './layer-limits.ts';
import { type LayerSummary, LayerTranslation } from './layer-translation.ts';
import { Extraction } from './tar-program.ts';
import type { WhiteoutFormat } from './whiteout-format.ts';
import { zstdProgram } from './zstd.ts';

export interface UnpackOptions {
  readonly commands: Commands;
  readonly limits: LayerLimits;
  readonly format: WhiteoutFormat;
  /** Where the files go. It must not exist. */
  readonly target: string;
  /** A directory for pipes, which nobody else can write. */
  readonly scratch: string;
  readonly loop?: EventLoop | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface UnpackedLayer extends LayerSummary {
  /** The digest of the uncompressed archive, `sha256:…`. */
  readonly diffId: string;
  /** Bytes of the uncompressed archive. */
  readonly bytes: number;
}

/**
 * Unpacks a layer as images have it, compressed or not, into a directory that overlayfs can use. Rejects with `ArchiveError` if the layer is
 * damaged or beyond the limits; nothing outside of `target` and `scratch` is touched in any case. The caller compares the digest, and
 * removes the directory if it is not what was expected.
 */
export async function unpackLayer(source: AsyncIterable<Buffer>, options: UnpackOptions): Promise<UnpackedLayer> {
  const { commands, limits, format, target, scratch, loop, signal } = options;
  signal?.throwIfAborted();
  await mkdir(target, { mode: 0o755 });
  let extraction = await Extraction.start(commands, { target, scratch });
  const removeDirectory = async (path: string): Promise<void> => {
    await extraction.finish();
    // There is no symbolic link in the target yet, so the path leads nowhere else.
    const place = Buffer.concat([Buffer.from(`${target}/`), Buffer.from(path, 'latin1')]);
    await rm(place, { recursive: true });
    extraction = await Extraction.start(commands, { target, scratch });
  };
  const zstdDecoder: Decoder = (compressed) => zstdProgram(compressed, { commands, scratch });
  const meter = new Meter(limits, target, signal);
  const content = meter.uncompressed(decompress(meter.compressed(source), zstdDecoder));
  const reader = new TarReader(content, limits);
  // Tar may wait for a slow disk.
  const unlink = onAbort(signal, () => void extraction.cancel());
  try {
    const writer = new TarWriter({ write: (bytes) => extraction.write(bytes) });
    const translation = new LayerTranslation(reader, writer, {
      limits,
      format,
      removeDirectory,
      ...(loop && { loop }),
    });
    const summary = await translation.run();
    await extraction.finish();
    signal?.throwIfAborted();
    return { ...summary, diffId: meter.digest(), bytes: meter.bytes };
  } catch (error) {
    await extraction.cancel();
    throw signal?.aborted ? signal.reason : error;
  } finally {
    unlink();
    await reader.close();
  }
}

/** How often the free space is looked at. */
const spaceCheckBytes = 64 * 2 ** 20;

/** Hashes and counts the bytes of a layer, and ends it when it is beyond the limits. */
class Meter {
  bytes = 0;
  readonly #limits: LayerLimits;
  readonly #directory: string;
  readonly #signal: AbortSignal | undefined;
  readonly #hash = createHash('sha256');
  #compressedBytes = 0;
  #nextCheck = 0;

  constructor(limits: LayerLimits, directory: string, signal: AbortSignal | undefined) {
    this.#limits = limits;
    this.#directory = directory;
    this.#signal = signal;
  }

  digest(): string {
    return `sha256:${this.#hash.digest('hex')}`;
  }

  async *compressed(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of source) {
      this.#signal?.throwIfAborted();
      this.#compressedBytes += chunk.length;
      yield chunk;
    }
  }

  async *uncompressed(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    const { layerBytes, expansion, expansionFreeBytes, reservedBytes } = this.#limits;
    for await (const chunk of source) {
      this.#signal?.throwIfAborted();
      this.bytes += chunk.length;
      if (this.bytes > layerBytes) throw new ArchiveError(`the layer is larger than ${layerBytes} bytes`);
      if (this.bytes > expansionFreeBytes && this.bytes > expansion * this.#compressedBytes) {
        throw new ArchiveError(`the layer is more than ${expansion} times as large as its compressed form`);
      }
      if (this.bytes >= this.#nextCheck) {
        this.#nextCheck = this.bytes + spaceCheckBytes;
        const { bavail, bsize } = await statfs(this.#directory);
        if (bavail * bsize < reservedBytes) throw new Error(`no space left on device: ${this.#directory}`);
      }
      this.#hash.update(chunk);
      yield chunk;
    }
  }
}
