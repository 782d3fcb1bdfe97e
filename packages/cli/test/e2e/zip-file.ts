import { readFileSync } from 'node:fs';
import { crc32, inflateRawSync } from 'node:zlib';

const endOfDirectory = 0x06054b50;
const directoryEntry = 0x02014b50;
const stored = 0;
const deflated = 8;

/** A zip archive in memory. Encrypted archives and archives above 4 GB are not supported. */
export class ZipFile {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  static open(path: string): ZipFile {
    return new ZipFile(readFileSync(path));
  }

  /** Returns the content of a file in the archive. Throws if there is no such file, or if it is damaged. */
  read(name: string): Buffer {
    const bytes = this.#bytes;
    for (const entry of this.#entries()) {
      if (bytes.toString('utf8', entry + 46, entry + 46 + bytes.readUInt16LE(entry + 28)) === name) {
        return this.#content(name, entry);
      }
    }
    throw new Error(`no ${name} in the archive`);
  }

  /** Yields the positions of the entries of the central directory. */
  *#entries(): Generator<number> {
    const bytes = this.#bytes;
    let end = bytes.length - 22;
    while (end >= 0 && bytes.readUInt32LE(end) !== endOfDirectory) {
      end--;
    }
    if (end < 0) {
      throw new Error('not a zip archive');
    }
    let at = bytes.readUInt32LE(end + 16);
    for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
      if (bytes.readUInt32LE(at) !== directoryEntry) {
        throw new Error('the directory of the archive is damaged');
      }
      yield at;
      at += 46 + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    }
  }

  #content(name: string, entry: number): Buffer {
    const bytes = this.#bytes;
    const method = bytes.readUInt16LE(entry + 10);
    const checksum = bytes.readUInt32LE(entry + 16);
    const size = bytes.readUInt32LE(entry + 20);
    const header = bytes.readUInt32LE(entry + 42);
    // The local header has its own lengths of the name and the extra field.
    const start = header + 30 + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28);
    const packed = bytes.subarray(start, start + size);
    if (method !== stored && method !== deflated) {
      throw new Error(`${name} is packed by method ${method}`);
    }
    const content = method === stored ? packed : inflateRawSync(packed);
    if (crc32(content) !== checksum) {
      throw new Error(`${name} is damaged`);
    }
    return content;
  }
}
