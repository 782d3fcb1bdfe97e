import { ArchiveError } from './archive-error.ts';
import { type PaxRecords, parsePaxRecords } from './pax-records.ts';
import { type TarEntry, type TarEntryType, type TarTime, textOfBytes } from './tar-entry.ts';
import { blockSize, parseHeader, type TarHeader } from './tar-header.ts';

export interface TarLimits {
  /** Of a name, and of the path in a link. */
  readonly pathBytes: number;
  /** Of an extended header, which has names and extended attributes. */
  readonly extendedHeaderBytes: number;
}

const types: Readonly<Record<string, TarEntryType>> = {
  '0': 'file',
  '\0': 'file',
  // Contiguous files, which nothing makes any more.
  '7': 'file',
  '1': 'hardLink',
  '2': 'symbolicLink',
  '3': 'characterDevice',
  '4': 'blockDevice',
  '5': 'directory',
  '6': 'fifo',
};
const xattrPrefix = 'SCHILY.xattr.';

/**
 * Reads a tar archive (POSIX with extended headers, GNU, and older ones) from a stream of bytes. It holds no more than one chunk of the stream
 * and one extended header. Every failure of the archive is an `ArchiveError`.
 */
export class TarReader {
  readonly #source: AsyncIterator<Buffer>;
  readonly #limits: TarLimits;
  #chunk: Buffer = Buffer.alloc(0);
  #isAtEnd = false;
  /** Bytes of the current entry that were not read, and the padding after them. */
  #left = 0;
  #padding = 0;

  constructor(source: AsyncIterable<Buffer>, limits: TarLimits) {
    this.#source = source[Symbol.asyncIterator]();
    this.#limits = limits;
  }

  /** Returns the next entry; undefined at the end. What was not read of the content of the entry before is skipped. */
  async next(): Promise<TarEntry | undefined> {
    await this.#skip(this.#left + this.#padding);
    this.#left = 0;
    this.#padding = 0;
    let pax: PaxRecords | undefined;
    let longName: string | undefined;
    let longLink: string | undefined;
    // Each kind of extended header counts once, so the loop ends.
    for (let headers = 0; headers < 8; headers++) {
      const block = await this.#block();
      const header = block && parseHeader(block);
      if (!header) {
        if (pax || longName !== undefined || longLink !== undefined)
          throw new ArchiveError('unexpected end of the archive');
        return undefined;
      }
      if (header.typeFlag === 'x') pax = parsePaxRecords(await this.#extension(header));
      else if (header.typeFlag === 'g') await this.#extension(header);
      else if (header.typeFlag === 'L') longName = untilZero(await this.#extension(header));
      else if (header.typeFlag === 'K') longLink = untilZero(await this.#extension(header));
      else return this.#entry(header, pax, longName, longLink);
    }
    throw new ArchiveError('too many extended tar headers');
  }

  /** The content of the current entry, in parts. */
  async *content(): AsyncGenerator<Buffer, void, undefined> {
    while (this.#left > 0) {
      if (this.#chunk.length === 0) await this.#fill();
      const part = this.#chunk.subarray(0, this.#left);
      this.#chunk = this.#chunk.subarray(part.length);
      this.#left -= part.length;
      yield part;
    }
  }

  /** Reads what follows the archive, so that the whole stream has been seen. */
  async drain(): Promise<void> {
    this.#chunk = Buffer.alloc(0);
    while (!this.#isAtEnd) await this.#pull();
  }

  /** Ends the stream early. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }

  #entry(header: TarHeader, pax: PaxRecords | undefined, longName?: string, longLink?: string): TarEntry {
    const path = pax?.get('path') || longName || header.name;
    const type = types[header.typeFlag];
    if ([...(pax?.keys() ?? [])].some((key) => key.startsWith('GNU.sparse.'))) {
      throw new ArchiveError(`${textOfBytes(path)}: sparse files are not supported`);
    }
    if (!type) {
      throw new ArchiveError(`${textOfBytes(path)}: unhandled tar header type ${JSON.stringify(header.typeFlag)}`);
    }
    // Before POSIX, a directory was a file whose name ends with a slash.
    const isOldDirectory = type === 'file' && path.endsWith('/');
    const linkTo =
      type === 'hardLink' || type === 'symbolicLink' ? pax?.get('linkpath') || longLink || header.linkName : '';
    for (const name of [path, linkTo]) {
      if (name.length > this.#limits.pathBytes) throw new ArchiveError('file name too long in the archive');
      if (name.includes('\0')) throw new ArchiveError('a file name in the archive contains NUL');
    }
    const size = numberOf(pax?.get('size')) ?? header.size;
    if (size < 0) throw new ArchiveError('invalid tar header: negative size');
    // Links and directories may tell a size, but only files have content. A link of POSIX's pax may have content too.
    const hasContent = type === 'file' && !isOldDirectory;
    if (hasContent) this.#setContent(size);
    const xattrs = new Map<string, Buffer>();
    for (const [key, value] of pax ?? []) {
      if (key.startsWith(xattrPrefix)) xattrs.set(key.slice(xattrPrefix.length), Buffer.from(value, 'latin1'));
    }
    return {
      type: isOldDirectory ? 'directory' : type,
      path,
      linkTo,
      mode: header.mode & 0o7777,
      uid: idOf(numberOf(pax?.get('uid')) ?? header.uid),
      gid: idOf(numberOf(pax?.get('gid')) ?? header.gid),
      size: hasContent ? size : 0,
      mtime: timeOf(pax?.get('mtime')) ?? { seconds: header.mtimeSeconds, nanoseconds: 0 },
      deviceMajor: header.deviceMajor,
      deviceMinor: header.deviceMinor,
      xattrs,
    };
  }

  #setContent(size: number): void {
    this.#left = size;
    this.#padding = paddingOf(size);
  }

  async #extension({ size }: TarHeader): Promise<Buffer> {
    if (size > this.#limits.extendedHeaderBytes || size < 0)
      throw new ArchiveError('an extended tar header is too long');
    this.#setContent(size);
    const parts: Buffer[] = [];
    for await (const part of this.content()) parts.push(part);
    await this.#skip(this.#padding);
    this.#padding = 0;
    return Buffer.concat(parts);
  }

  /** Undefined at the end of the stream. */
  async #block(): Promise<Buffer | undefined> {
    if (this.#chunk.length < blockSize) {
      while (this.#chunk.length < blockSize && !this.#isAtEnd) await this.#pull();
      if (this.#chunk.length === 0) return undefined;
      if (this.#chunk.length < blockSize) throw new ArchiveError('unexpected end of the archive');
    }
    const block = this.#chunk.subarray(0, blockSize);
    this.#chunk = this.#chunk.subarray(blockSize);
    return block;
  }

  async #skip(bytes: number): Promise<void> {
    for (let left = bytes; left > 0; ) {
      if (this.#chunk.length === 0) await this.#fill();
      const skipped = Math.min(left, this.#chunk.length);
      this.#chunk = this.#chunk.subarray(skipped);
      left -= skipped;
    }
  }

  async #fill(): Promise<void> {
    while (this.#chunk.length === 0 && !this.#isAtEnd) await this.#pull();
    if (this.#chunk.length === 0) throw new ArchiveError('unexpected end of the archive');
  }

  async #pull(): Promise<void> {
    const { done, value } = await this.#source.next();
    if (done) this.#isAtEnd = true;
    else this.#chunk = this.#chunk.length === 0 ? value : Buffer.concat([this.#chunk, value]);
  }
}

export const paddingOf = (size: number): number => (blockSize - (size % blockSize)) % blockSize;

function untilZero(content: Buffer): string {
  const end = content.indexOf(0);
  return content.toString('latin1', 0, end < 0 ? content.length : end);
}

function numberOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number)) throw new ArchiveError('invalid extended tar header');
  return number;
}

/** User and group numbers have 32 bits; the last one means that an owner stays as it is. */
function idOf(number: number): number {
  if (number < 0 || number >= 0xffffffff) throw new ArchiveError('invalid tar header: no such owner');
  return number;
}

/** Decimal seconds, as `-1.5`. */
function timeOf(text: string | undefined): TarTime | undefined {
  if (text === undefined || text === '') return undefined;
  const match = /^(-?)(\d{1,15})(?:\.(\d*))?$/.exec(text);
  if (!match) throw new ArchiveError('invalid extended tar header');
  const [, sign, whole = '', fraction = ''] = match;
  const nanoseconds = Number(fraction.slice(0, 9).padEnd(9, '0'));
  if (sign !== '-') return { seconds: Number(whole), nanoseconds };
  return nanoseconds === 0
    ? { seconds: -Number(whole), nanoseconds: 0 }
    : { seconds: -Number(whole) - 1, nanoseconds: 1e9 - nanoseconds };
}
