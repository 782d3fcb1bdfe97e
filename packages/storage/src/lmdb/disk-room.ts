import { statfsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Clock } from '@coxswain/apimachinery/clock';
import type { Logger } from '@coxswain/apimachinery/log';
import { StoreFullError } from '../errors.ts';
import { FileUsage } from './file-usage.ts';

const MiB = 1024 * 1024;

/** Reserved for operations that free space: deletions, and compactions until LMDB reuses the pages they freed. */
const reserveBytes = 4 * MiB;

/** With this many bytes left on the disk, in addition to the pending writes, no detailed check is made. */
const plentyBytes = 64 * MiB;

/** Left to other programs, and for the files that a server writes at its start: its locks, its kubeconfig. */
const leftBytes = MiB;

/** The file is extended in steps of this size. */
const growthBytes = MiB / 2;

/** The store counts as full when an object of this size has no room. */
const usualBytes = 128 * 1024;

/** Pages that every transaction writes: a few branches of each tree, and the list of free pages. */
const pagesForTransaction = 64;

/** After a write failed with a full disk, the disk counts as full for this long, whatever statfs reports. */
const patienceMs = 1000;

/** The size of a transaction. `count` is the number of values put or removed. */
export interface TransactionSize {
  readonly count: number;
  /** `bytes` is the size of all values and records, `largest` that of the largest value. */
  readonly bytes: number;
  readonly largest: number;
}

/** The part of the reserve that must remain after a put. */
const shares = {
  new: 1,
  /**
   * Changes may use half of it: otherwise nodes could not renew their leases, and objects that are deleted in several steps (finalizers)
   * could not be deleted.
   */
  change: 1 / 2,
} as const;

export interface DiskRoomOptions {
  /** LMDB's data file. It must exist. */
  readonly file: string;
  readonly clock: Clock;
  /** Logs when there is no room any more, and when there is room again. */
  readonly logger: Logger;
}

/**
 * Keeps LMDB from meeting a full disk: a failed write of LMDB may crash the process. When little is left on the disk, the file is extended
 * before each transaction by more than the transaction could use, with writes of our own, which may fail.
 *
 * The room of a store consists of the space left on the disk, the unused end of its file, and the free pages in the file. A part of it is a
 * reserve: new keys may not use it, changes of existing keys may use half of it, deletions and compaction all of it.
 */
export class DiskRoom {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** The file's usage after the last transaction; undefined when it must be read. It is not read while there is plenty of space. */
  #lastUsage: FileUsage | undefined;
  /** The bytes left on the disk at the last statfs; undefined when it must be called again. When they are few, it is called each time. */
  #left: number | undefined;
  #isShort = false;
  /** The size of the largest object that was refused and still has no room. */
  #refusedBytes = 0;
  /** Until this time the disk counts as full, whatever statfs reports. */
  #fullUntil = 0;

  private constructor(file: FileHandle, { file: path, clock, logger }: DiskRoomOptions) {
    this.#file = file;
    this.#path = path;
    this.#clock = clock;
    this.#logger = logger;
  }

  static async open(options: DiskRoomOptions): Promise<DiskRoom> {
    return new DiskRoom(await open(options.file, 'r+'), options);
  }

  /** True when a new object of `usualBytes`, or of the largest size refused before, would be refused. */
  get isShort(): boolean {
    this.#look();
    return this.#isShort;
  }

  /** Returns an error when a put of `largest` bytes has no room. `bytes` is the total of all writes waiting. */
  refusal(largest: number, bytes: number, purpose: keyof typeof shares): StoreFullError | undefined {
    if (!this.#isPlenty(bytes)) this.#look();
    if (this.#isPlenty(bytes) || this.#hasRoom({ count: 1, bytes, largest }, purpose)) return undefined;
    if (purpose === 'new') this.#refusedBytes = Math.max(this.#refusedBytes, largest);
    this.#look();
    return new StoreFullError();
  }

  /** Must be called before a transaction. Throws a `StoreFullError` when the disk has no room for it; then nothing may be written. */
  async prepare(size: TransactionSize): Promise<void> {
    this.#left = this.#askDisk();
    if (this.#isPlenty(size.bytes)) return;
    // LMDB also writes when it is opened, so the usage must be read again.
    this.#lastUsage = undefined;
    if (this.#usage.allocated < this.#usage.size) await this.#fillHoles();
    const needed = this.#bytesFor(size);
    if (this.#end < needed + reserveBytes) await this.#extend(needed + reserveBytes);
    if (!this.#fits(size, this.#end)) throw new StoreFullError();
  }

  /** Must be called after a transaction. */
  written(): void {
    this.#lastUsage = undefined;
    this.#left = undefined;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  get #usage(): FileUsage {
    this.#lastUsage ??= new FileUsage(this.#file.fd);
    return this.#lastUsage;
  }

  /** True when so much is left on the disk that the file's usage need not be read. */
  #isPlenty(bytes: number): boolean {
    return this.#left !== undefined && this.#left >= plentyBytes + 2 * bytes;
  }

  /** The bytes at the end of the file that LMDB has never used. */
  get #end(): number {
    return Math.max(0, this.#usage.size - this.#usage.used);
  }

  #hasRoom(size: TransactionSize, purpose: keyof typeof shares): boolean {
    const end = this.#end + (this.#left ?? 0);
    const isAboveReserve = end + this.#usage.free - this.#bytesFor(size) >= shares[purpose] * reserveBytes;
    return isAboveReserve && this.#fits(size, end);
  }

  /** Returns whether the transaction fits into an unused end of `end` bytes, or into free pages. */
  #fits(size: TransactionSize, end: number): boolean {
    const needed = this.#bytesFor(size);
    const { free, pageSize } = this.#usage;
    if (end >= needed) return true;
    // Values larger than half a page need contiguous pages of their own.
    return free >= 4 * needed && (size.largest < pageSize / 4 || this.#usage.freePlaces(size.largest) > 2 * size.count);
  }

  /** An upper bound of the bytes LMDB writes: pages are at least half full, and the list of free pages is rewritten. */
  #bytesFor({ count, bytes }: TransactionSize): number {
    const { pageSize, free } = this.#usage;
    return (pagesForTransaction + 2 * count) * pageSize + 2 * bytes + Math.ceil(free / 256);
  }

  #look(): void {
    this.#left = this.#askDisk();
    const largest = Math.max(usualBytes, this.#refusedBytes);
    // Hysteresis: to become writable again, a MiB more is required, so that the state does not flip with each write.
    const bytes = this.#isShort ? largest + MiB : largest;
    const isShort = !this.#isPlenty(bytes) && !this.#hasRoom({ count: 1, bytes, largest }, 'new');
    if (!isShort) this.#refusedBytes = 0;
    if (this.#isShort === isShort) return;
    this.#isShort = isShort;
    const file = { file: this.#path };
    if (isShort)
      this.#logger.warn(
        'Disk is full: new objects are refused until some are deleted or there is room on the disk',
        file,
      );
    else this.#logger.info('There is room for new objects again', file);
  }

  /** Returns the bytes on the disk that the store may use; Infinity when the file system does not report them. */
  #askDisk(): number {
    if (this.#clock.now() < this.#fullUntil) return 0;
    try {
      const { bavail, blocks, bsize } = statfsSync(this.#path);
      return blocks === 0 ? Number.POSITIVE_INFINITY : Math.max(0, bavail * bsize - leftBytes);
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  }

  /** Extends the file until `end` bytes are unused, or as far as possible. */
  async #extend(end: number): Promise<void> {
    const zeros = Buffer.alloc(growthBytes);
    for (;;) {
      const length = Math.min(growthBytes, end - this.#end, this.#askDisk());
      if (length <= 0 || !(await this.#write(zeros, this.#usage.size, length))) return;
      this.#lastUsage = undefined;
    }
  }

  /** Allocates disk blocks for pages that were never written, because LMDB may use them at any time. */
  async #fillHoles(): Promise<void> {
    const { pageSize, size } = this.#usage;
    const page = Buffer.alloc(pageSize);
    const zeros = Buffer.alloc(pageSize);
    for (let position = 0; position + pageSize <= size; position += pageSize) {
      await this.#file.read(page, 0, pageSize, position);
      if (page.equals(zeros) && !(await this.#write(zeros, position, pageSize))) return;
    }
  }

  /** Returns false when the disk is full. */
  async #write(bytes: Buffer, position: number, length: number): Promise<boolean> {
    try {
      await this.#file.write(bytes, 0, length, position);
      return true;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && fullCodes.has(error.code))) throw error;
      this.#lastUsage = undefined;
      this.#fullUntil = this.#clock.now() + patienceMs;
      return false;
    }
  }
}

const fullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);
