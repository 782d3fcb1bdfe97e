import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, rm, statfs } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Random } from '@coxswain/apimachinery/random';
import { ArchiveError, TarReader, textOfBytes } from '../tar/index.ts';

export interface ArchiveOptions {
  readonly root: string;
  readonly random: Random;
  readonly limits: { readonly entries: number; readonly bytes: number; readonly reservedBytes: number };
  readonly signal?: AbortSignal | undefined;
}

export interface ArchiveFile {
  readonly digest: string;
  readonly size: number;
  readonly path: string;
}

const tarLimits = { pathBytes: 4095, extendedHeaderBytes: 2 ** 20 };
const spaceCheckBytes = 64 * 2 ** 20;
const maxLinks = 16;

/** The files of an archive of images, in a directory for the time of the import. Their names on disk are numbers, so no name leads elsewhere. */
export class ArchiveFiles {
  readonly #directory: string;
  readonly #files = new Map<string, ArchiveFile>();
  readonly #links = new Map<string, string>();

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** Removes what imports have left that were interrupted. */
  static async clean(root: string): Promise<void> {
    await rm(join(root, 'imports'), { recursive: true, force: true });
  }

  static async unpack(archive: AsyncIterable<Buffer>, options: ArchiveOptions): Promise<ArchiveFiles> {
    const directory = join(options.root, 'imports', options.random.uuid());
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const files = new ArchiveFiles(directory);
    try {
      await files.#unpack(archive, options);
      return files;
    } catch (error) {
      await files.remove();
      throw options.signal?.aborted ? options.signal.reason : error;
    }
  }

  /** Finds a file by its path in the archive, and through symbolic links and hard links in it. */
  find(path: string): ArchiveFile | undefined {
    let name = posix.normalize(path);
    for (let links = 0; links < maxLinks; links++) {
      const target = this.#links.get(name);
      if (target === undefined) return this.#files.get(name);
      name = target;
    }
    return undefined;
  }

  /** Reads a small file. Undefined if there is none. */
  async read(path: string, maxBytes: number): Promise<Buffer | undefined> {
    const file = this.find(path);
    if (!file) return undefined;
    if (file.size > maxBytes) throw new ArchiveError(`${path} in the archive is larger than ${maxBytes} bytes`);
    return await readFile(file.path);
  }

  stream(file: ArchiveFile): AsyncIterable<Buffer> {
    return createReadStream(file.path, { highWaterMark: 256 * 1024 });
  }

  async remove(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #unpack(archive: AsyncIterable<Buffer>, { limits, signal }: ArchiveOptions): Promise<void> {
    const reader = new TarReader(archive, tarLimits);
    let total = 0;
    let count = 0;
    try {
      for (let entry = await reader.next(); entry; entry = await reader.next()) {
        signal?.throwIfAborted();
        if (++count > limits.entries) throw new ArchiveError(`the archive has more than ${limits.entries} entries`);
        const name = posix.normalize(textOfBytes(entry.path)).replace(/\/$/, '');
        if (entry.type === 'symbolicLink') {
          this.#links.set(name, posix.join(posix.dirname(name), textOfBytes(entry.linkTo)));
        } else if (entry.type === 'hardLink') {
          this.#links.set(name, posix.normalize(textOfBytes(entry.linkTo)));
        } else if (entry.type === 'file') {
          total += entry.size;
          if (total > limits.bytes) throw new ArchiveError(`the archive is larger than ${limits.bytes} bytes`);
          this.#links.delete(name);
          this.#files.set(name, await this.#write(reader, String(count), entry.size, limits.reservedBytes, signal));
        }
      }
      await reader.drain();
    } finally {
      await reader.close();
    }
  }

  async #write(
    reader: TarReader,
    name: string,
    size: number,
    reservedBytes: number,
    signal?: AbortSignal,
  ): Promise<ArchiveFile> {
    const path = join(this.#directory, name);
    const hash = createHash('sha256');
    const file = await open(path, 'wx', 0o600);
    let unchecked = spaceCheckBytes;
    try {
      for await (const part of reader.content()) {
        signal?.throwIfAborted();
        hash.update(part);
        await file.write(part);
        unchecked += part.length;
        if (unchecked < spaceCheckBytes) continue;
        unchecked = 0;
        const { bavail, bsize } = await statfs(this.#directory);
        if (bavail * bsize < reservedBytes) throw new Error(`no space left on device: ${this.#directory}`);
      }
    } finally {
      await file.close();
    }
    return { digest: `sha256:${hash.digest('hex')}`, size, path };
  }
}
