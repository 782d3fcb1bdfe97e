import { statfsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Clock } from '@coxswain/apimachinery/clock';
import type { Logger } from '@coxswain/apimachinery/log';
import { StoreFullError } from '../errors.ts';
import { FileUsage } from './file-usage.ts';

const MiB = 1024 * 1024;

/** Kept for what makes room: deletions, and compactions until LMDB uses the pages that they have made free. */
const reserveBytes = 4 * MiB;

/** With so much left on the disk, beside what is to be written, nobody counts. */
const plentyBytes = 64 * MiB;

/** Left to others, and to what a server writes when it starts again: its locks, its kubeconfig. */
const leftBytes = MiB;

/** The file grows by so much at once. */
const growthBytes = MiB / 2;

/** The size of an object for which there should always be room. */
const usualBytes = 128 * 1024;

/** What a transaction writes in any case: a few branches of each tree, and what is free. */
const pagesForTransaction = 64;

/** A disk that was full is not asked again for so long, whatever it says. */
const patienceMs = 1000;

/** What is to be written. `count`: how many values are put, or removed. */
export interface TransactionSize {
  readonly count: number;
  /** Of all of them, and of the largest. */
  readonly bytes: number;
  readonly largest: number;
}

/** Which part of the reserve is left alone by it. */
const shares = {
  new: 1,
  /** Without changes nodes would be lost, and nothing could be deleted that is deleted in steps. */
  change: 1 / 2,
} as const;

export interface DiskRoomOptions {
  /** Of LMDB. It is there already. */
  readonly file: string;
  readonly clock: Clock;
  /** Told when there is no room any more, and when there is again. */
  readonly logger: Logger;
}

/**
 * Sees to it that LMDB never meets a full disk: when a write of its own fails, it may take the process with it. So when
 * little is left of the disk, the file is made longer before each transaction than that could make it, by writes of ours,
 * which may fail.
 *
 * What a store has room for is what the disk has left, the end of its file that is not used yet, and the free pages in
 * it. Some of that is a reserve: new keys may not use it, changes of keys that are there may use half of it, deletions and
 * compaction all.
 */
export class DiskRoom {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** After the last transaction; absent: it must be looked. Nobody looks while there is plenty. */
  #lastUsage: FileUsage | undefined;
  /** Bytes that the disk has left, when it was last asked; absent: it must be asked. If they are few it is asked each time. */
  #left: number | undefined;
  #isShort = false;
  /** The size of an object that was refused and for which there has been no room since. */
  #refusedBytes = 0;
  /** The disk was full, whatever it says. */
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

  /** Whether an object of a usual size would be refused, or one as large as was refused before. */
  get isShort(): boolean {
    this.#look();
    return this.#isShort;
  }

  /** Why a put of so many bytes cannot be done, when so many in all wait to be written. */
  refusal(largest: number, bytes: number, purpose: keyof typeof shares): StoreFullError | undefined {
    if (!this.#isPlenty(bytes)) this.#look();
    if (this.#isPlenty(bytes) || this.#hasRoom({ count: 1, bytes, largest }, purpose)) return undefined;
    if (purpose === 'new') this.#refusedBytes = Math.max(this.#refusedBytes, largest);
    this.#look();
    return new StoreFullError();
  }

  /**
   * To be called before a transaction. Throws a `StoreFullError` when the disk has no room for it; nothing must be
   * written then.
   */
  async prepare(size: TransactionSize): Promise<void> {
    this.#left = this.#askDisk();
    if (this.#isPlenty(size.bytes)) return;
    // LMDB itself writes, too, when it is opened.
    this.#lastUsage = undefined;
    if (this.#usage.allocated < this.#usage.size) await this.#fillHoles();
    const needed = this.#bytesFor(size);
    if (this.#end < needed + reserveBytes) await this.#extend(needed + reserveBytes);
    if (!this.#fits(size, this.#end)) throw new StoreFullError();
  }

  /** To be called after a transaction. */
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

  /** Whether so much is left on the disk that nobody need look into the file. */
  #isPlenty(bytes: number): boolean {
    return this.#left !== undefined && this.#left >= plentyBytes + 2 * bytes;
  }

  /** Bytes of the file that LMDB has never used. */
  get #end(): number {
    return Math.max(0, this.#usage.size - this.#usage.used);
  }

  #hasRoom(size: TransactionSize, purpose: keyof typeof shares): boolean {
    const end = this.#end + (this.#left ?? 0);
    const isAboveReserve = end + this.#usage.free - this.#bytesFor(size) >= shares[purpose] * reserveBytes;
    return isAboveReserve && this.#fits(size, end);
  }

  /** Whether LMDB can write it to an end of so many bytes, or finds free pages for all of it. */
  #fits(size: TransactionSize, end: number): boolean {
    const needed = this.#bytesFor(size);
    const { free, pageSize } = this.#usage;
    if (end >= needed) return true;
    // Values that are larger than half a page have pages of their own, side by side.
    return free >= 4 * needed && (size.largest < pageSize / 4 || this.#usage.freePlaces(size.largest) > 2 * size.count);
  }

  /** More than LMDB writes: pages are half full at least, and the list of free pages is written again. */
  #bytesFor({ count, bytes }: TransactionSize): number {
    const { pageSize, free } = this.#usage;
    return (pagesForTransaction + 2 * count) * pageSize + 2 * bytes + Math.ceil(free / 256);
  }

  #look(): void {
    this.#left = this.#askDisk();
    const largest = Math.max(usualBytes, this.#refusedBytes);
    // With some more than that, it does not change its mind with each write.
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

  /** What we may take; Infinity where it does not say. */
  #askDisk(): number {
    if (this.#clock.now() < this.#fullUntil) return 0;
    try {
      const { bavail, blocks, bsize } = statfsSync(this.#path);
      return blocks === 0 ? Number.POSITIVE_INFINITY : Math.max(0, bavail * bsize - leftBytes);
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  }

  /** Makes the file longer until so many bytes are unused, or as long as it can be. */
  async #extend(end: number): Promise<void> {
    const zeros = Buffer.alloc(growthBytes);
    for (;;) {
      const length = Math.min(growthBytes, end - this.#end, this.#askDisk());
      if (length <= 0 || !(await this.#write(zeros, this.#usage.size, length))) return;
      this.#lastUsage = undefined;
    }
  }

  /** Takes up room on the disk for pages that were never written, which LMDB may use at any time. */
  async #fillHoles(): Promise<void> {
    const { pageSize, size } = this.#usage;
    const page = Buffer.alloc(pageSize);
    const zeros = Buffer.alloc(pageSize);
    for (let position = 0; position + pageSize <= size; position += pageSize) {
      await this.#file.read(page, 0, pageSize, position);
      if (page.equals(zeros) && !(await this.#write(zeros, position, pageSize))) return;
    }
  }

  /** False when the disk is full. */
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
