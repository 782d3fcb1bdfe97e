import { fstatSync, readSync } from 'node:fs';
import {
  type Meta,
  metaSize,
  node,
  nodeFlags,
  overflowReference,
  pageFlags,
  pageHeader,
  readMeta,
  readNumber,
  readTree,
  type Tree,
  treeSize,
} from './lmdb-format.ts';

/** LMDB reuses the pages that a transaction freed only in the transaction after the next. */
const transactionsKept = 2;

/**
 * The usage of a valid LMDB file (see `PageCheck`) at the time of construction. No transaction may be in progress then.
 */
export class FileUsage {
  readonly pageSize: number;
  /** The bytes up to the last page that was ever used. */
  readonly used: number;
  /** The bytes of `used` in free pages. */
  readonly free: number;
  /** `size` is the file's length, `allocated` the disk space it occupies. */
  readonly size: number;
  readonly allocated: number;
  readonly #descriptor: number;
  readonly #meta: Meta | undefined;
  #runs: number[] | undefined;

  constructor(descriptor: number) {
    const { size, blocks } = fstatSync(descriptor);
    this.size = size;
    this.allocated = blocks * 512;
    this.#descriptor = descriptor;
    const first = readMeta(this.#read(0, metaSize));
    const second = first && readMeta(this.#read(first.pageSize, metaSize));
    const meta = second && second.transaction > first.transaction ? second : first;
    this.#meta = meta;
    this.pageSize = meta?.pageSize ?? 4096;
    if (!meta) {
      // LMDB has not written to the file yet.
      this.used = 0;
      this.free = 0;
      return;
    }
    const trees = [meta.main, meta.free, ...this.#namedTrees(meta)];
    const inTrees = trees.reduce((sum, { branches, leaves, overflows }) => sum + branches + leaves + overflows, 0);
    this.used = (meta.lastPage + 1) * this.pageSize;
    // The first two pages are not part of a tree.
    this.free = Math.max(0, meta.lastPage - 1 - inTrees) * this.pageSize;
  }

  /** Returns for how many values of `bytes` bytes there are contiguous free pages. */
  freePlaces(bytes: number): number {
    this.#runs ??= this.#meta ? this.#freeRuns(this.#meta) : [];
    const pages = Math.ceil((pageHeader.size + bytes) / this.pageSize);
    return this.#runs.reduce((sum, length) => sum + Math.floor(length / pages), 0);
  }

  /** Returns the lengths of all runs of contiguous free pages. */
  #freeRuns(meta: Meta): number[] {
    const isFree = new Uint8Array(meta.lastPage + 2);
    this.#forEachFree(meta, (first, count) => isFree.fill(1, first, first + count));
    const runs: number[] = [];
    for (let page = 0, length = 0; page < isFree.length; page++) {
      if (isFree[page] === 1) length++;
      else if (length > 0) {
        runs.push(length);
        length = 0;
      }
    }
    return runs;
  }

  #forEachFree({ free, transaction }: Meta, visit: (first: number, count: number) => void): void {
    const pages = free.root === undefined ? [] : [free.root];
    for (let number = pages.pop(); number !== undefined; number = pages.pop()) {
      const page = this.#page(number);
      const isLeaf = page.readUInt16LE(pageHeader.flagsAt) === pageFlags.leaf;
      const count = page.readUInt16LE(pageHeader.lowerAt) / 2;
      for (let index = 0; index < count; index++) {
        const start = pageHeader.size + page.readUInt16LE(pageHeader.size + 2 * index);
        const low = page.readUInt16LE(start + node.lowAt) + page.readUInt16LE(start + node.highAt) * 2 ** 16;
        const flags = page.readUInt16LE(start + node.flagsAt);
        if (!isLeaf) pages.push(low + flags * 2 ** 32);
        else if (readNumber(page, start + node.keyAt) <= transaction - transactionsKept) {
          forEachInList(this.#valueAt(page, start, low, flags), visit);
        }
      }
    }
  }

  #valueAt(page: Buffer, start: number, size: number, flags: number): Buffer {
    const at = start + node.keyAt + page.readUInt16LE(start + node.keySizeAt);
    if (flags !== nodeFlags.overflow) return page.subarray(at, at + size);
    const first = readNumber(page, at + overflowReference.pageAt);
    return this.#read(first * this.pageSize + pageHeader.size, size);
  }

  /** There are few named trees, so a single leaf holds all of them. */
  #namedTrees({ main }: Meta): Tree[] {
    if (main.root === undefined || main.depth !== 1) return [];
    const page = this.#page(main.root);
    return Array.from({ length: main.entries }, (_, index) => {
      const start = pageHeader.size + page.readUInt16LE(pageHeader.size + 2 * index);
      const at = start + node.keyAt + page.readUInt16LE(start + node.keySizeAt);
      return readTree(page.subarray(at, at + treeSize), 0);
    });
  }

  #page(number: number): Buffer {
    return this.#read(number * this.pageSize, this.pageSize);
  }

  #read(position: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    readSync(this.#descriptor, bytes, 0, length, position);
    return bytes;
  }
}

/** The format of the list is described at `PageCheck`'s `#claimFree`. */
function forEachInList(list: Buffer, visit: (first: number, count: number) => void): void {
  const words = readNumber(list, 0);
  for (let word = 1; word <= words; word++) {
    const number = Number(list.readBigInt64LE(word * 8));
    if (number > 0) visit(number, 1);
    else if (number < 0) visit(Number(list.readBigInt64LE(++word * 8)), -number);
  }
}
