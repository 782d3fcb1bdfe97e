import { paxRecord } from './pax-records.ts';
import type { TarEntry, TarEntryType, TarTime } from './tar-entry.ts';
import { blockSize } from './tar-header.ts';
import { paddingOf } from './tar-reader.ts';

/** Takes the bytes of an archive. The promise resolves when more may be written. */
export interface ByteSink {
  write(bytes: Buffer): Promise<void>;
}

const flags: Readonly<Record<TarEntryType, string>> = {
  file: '0',
  hardLink: '1',
  symbolicLink: '2',
  characterDevice: '3',
  blockDevice: '4',
  directory: '5',
  fifo: '6',
};
/** Small pieces are collected up to this size. */
const stageSize = 256 * 1024;
/** Larger pieces of content are passed on as they are. */
const largeSize = 32 * 1024;

/**
 * Writes a tar archive for GNU's tar: names are bytes, which POSIX's extended headers would have converted from UTF-8, so long ones are in
 * GNU's own headers, and extended headers have only extended attributes and fractions of seconds.
 */
export class TarWriter {
  readonly #sink: ByteSink;
  #stage = Buffer.alloc(stageSize);
  #staged = 0;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /** Writes the header of an entry. The caller writes as many bytes of content as its `size` says. */
  async header(entry: TarEntry): Promise<void> {
    const path = Buffer.from(entry.type === 'directory' ? `${entry.path}/` : entry.path, 'latin1');
    const linkTo = Buffer.from(entry.linkTo, 'latin1');
    if (path.length > 100) await this.#long('L', path);
    if (linkTo.length > 100) await this.#long('K', linkTo);
    const records = Array.from(entry.xattrs, ([key, value]) => paxRecord(`SCHILY.xattr.${key}`, value));
    if (entry.mtime.nanoseconds !== 0) records.push(paxRecord('mtime', Buffer.from(decimalOf(entry.mtime))));
    if (records.length > 0) {
      const content = Buffer.concat(records);
      await this.#bytes(headerBlock({ ...noFields, path: Buffer.from('pax'), flag: 'x', size: content.length }));
      await this.content(content);
      await this.endOfContent(content.length);
    }
    await this.#bytes(headerBlock({ ...entry, path, linkTo, flag: flags[entry.type], mtime: entry.mtime.seconds }));
  }

  async content(part: Buffer): Promise<void> {
    if (part.length < largeSize) return await this.#bytes(part);
    await this.flush();
    await this.#sink.write(part);
  }

  /** Fills the last block of a content of this size. */
  async endOfContent(size: number): Promise<void> {
    const padding = paddingOf(size);
    if (padding > 0) await this.#bytes(Buffer.alloc(padding));
  }

  /** Ends the archive. */
  async end(): Promise<void> {
    await this.#bytes(Buffer.alloc(2 * blockSize));
    await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#staged === 0) return;
    const bytes = this.#stage.subarray(0, this.#staged);
    // The sink may keep what it was given.
    this.#stage = Buffer.alloc(stageSize);
    this.#staged = 0;
    await this.#sink.write(bytes);
  }

  async #bytes(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      if (this.#staged === stageSize) await this.flush();
      const copied = bytes.copy(this.#stage, this.#staged, at);
      this.#staged += copied;
      at += copied;
    }
  }

  async #long(flag: string, name: Buffer): Promise<void> {
    const size = name.length + 1;
    await this.#bytes(headerBlock({ ...noFields, path: Buffer.from('././@LongLink'), flag, size }));
    await this.#bytes(name);
    await this.#bytes(Buffer.alloc(1));
    await this.endOfContent(size);
  }
}

interface HeaderFields {
  readonly path: Buffer;
  readonly linkTo: Buffer;
  readonly flag: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  /** Seconds. */
  readonly mtime: number;
  readonly deviceMajor: number;
  readonly deviceMinor: number;
}

const noFields = { linkTo: Buffer.alloc(0), mode: 0, uid: 0, gid: 0, mtime: 0, deviceMajor: 0, deviceMinor: 0 };

function headerBlock(fields: HeaderFields): Buffer {
  const block = Buffer.alloc(blockSize);
  fields.path.copy(block, 0, 0, 100);
  putNumber(block, 100, 8, fields.mode);
  putNumber(block, 108, 8, fields.uid);
  putNumber(block, 116, 8, fields.gid);
  putNumber(block, 124, 12, fields.size);
  putNumber(block, 136, 12, fields.mtime);
  block.write('        ', 148);
  block.write(fields.flag, 156);
  fields.linkTo.copy(block, 157, 0, 100);
  block.write('ustar  \0', 257);
  putNumber(block, 329, 8, fields.deviceMajor);
  putNumber(block, 337, 8, fields.deviceMinor);
  let sum = 0;
  for (const byte of block) sum += byte;
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** Octal if it fits, else binary in two's complement with the first bit set. */
function putNumber(block: Buffer, start: number, length: number, value: number): void {
  const octal = value < 0 ? '' : value.toString(8);
  if (value >= 0 && octal.length < length) {
    block.write(octal.padStart(length - 1, '0'), start);
    return;
  }
  let rest = BigInt(value);
  for (let at = start + length - 1; at >= start; at--) {
    block[at] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  block[start] = block[start]! | 0x80;
}

function decimalOf({ seconds, nanoseconds }: TarTime): string {
  const isNegative = seconds < 0;
  const whole = isNegative ? -(seconds + 1) : seconds;
  const fraction = isNegative ? 1e9 - nanoseconds : nanoseconds;
  return `${isNegative ? '-' : ''}${whole}.${String(fraction).padStart(9, '0')}`;
}
