import { nextTurn, systemEventLoop } from '@coxswain/apimachinery/turns';
import {
  type Meta,
  node,
  nodeFlags,
  overflowReference,
  pageFlags,
  pageHeader,
  readNumber,
  readTree,
  type Tree,
  treeSize,
} from './lmdb-format.ts';
import type { PageFile } from './page-file.ts';

/** The number of pages to check before yielding to the event loop. */
const slicePages = 200;

/** Deeper than any tree that fits on a disk. */
const maxDepth = 32;

/** The first two pages are not part of a tree. */
const firstTreePage = 2;

/** The message describes the damage, as the end of a sentence that begins with the file. */
class Damage extends Error {}

/** A page of a tree that must be checked. */
interface Visit {
  readonly number: number;
  /** The number of pages on the path from the root to it. */
  readonly depth: number;
  /** A lower bound of all keys below it; undefined for the leftmost page. */
  readonly from: Buffer | undefined;
  /** An upper bound (exclusive) of all keys below it; undefined for the rightmost page. */
  readonly to: Buffer | undefined;
}

/** An entry of a leaf that LMDB itself interprets: a tree, or a list of free pages. */
interface Entry {
  readonly key: Buffer;
  readonly data: Buffer;
  readonly isTree: boolean;
}

/** A tree that is being checked. */
interface Walk {
  readonly name: string;
  readonly tree: Tree;
  readonly compare: Compare;
  /** Collects the entries; undefined when they are values. */
  readonly entries?: Entry[];
  readonly counted: { branches: number; leaves: number; overflows: number; entries: number };
}

/** Compares parts of two pieces of memory. */
type Compare = (a: Buffer, aStart: number, aEnd: number, b: Buffer, bStart: number, bEnd: number) => number;

/**
 * Checks all pages reachable from the current meta page: that each page is the one its parent refers to, that all references are inside of
 * the file, that keys are in order, and that no page is used twice. LMDB itself trusts the file: from a damaged page it would read and
 * write memory outside of the map.
 *
 * The values are not checked.
 */
export class PageCheck {
  readonly #file: PageFile;
  readonly #meta: Meta;
  /** A byte for each page of the file: 1 when the page is known to be used. */
  readonly #used: Uint8Array;
  /** The page being checked, and the first overflow page of a value. */
  readonly #page: Buffer;
  readonly #overflowPage: Buffer;
  #visited = 0;

  constructor(file: PageFile, meta: Meta, filePages: number) {
    this.#file = file;
    this.#meta = meta;
    this.#used = new Uint8Array(filePages).fill(1, 0, firstTreePage);
    this.#page = Buffer.allocUnsafeSlow(file.pageSize);
    this.#overflowPage = Buffer.allocUnsafeSlow(file.pageSize);
  }

  /**
   * Returns the problem, as the end of a sentence that begins with the file; undefined when there is none. `names` are those of the trees.
   */
  async problem(names: ReadonlySet<string>): Promise<string | undefined> {
    try {
      await this.#checkTrees(names);
      await this.#checkFreePages();
      return undefined;
    } catch (error) {
      if (error instanceof Damage) return error.message;
      throw error;
    }
  }

  async #checkTrees(names: ReadonlySet<string>): Promise<void> {
    const entries: Entry[] = [];
    await this.#walk('main', this.#meta.main, compareBytes, entries);
    for (const { key, data, isTree } of entries) {
      const name = key.toString('latin1').replace(/\0$/, '');
      if (!isTree || data.length !== treeSize || !names.has(name)) throw new Damage('has an unknown tree of pages');
      await this.#walk(name, readTree(data, 0), compareBytes);
    }
  }

  /** Must be called last: free pages must not be in use. */
  async #checkFreePages(): Promise<void> {
    const entries: Entry[] = [];
    await this.#walk('free', this.#meta.free, compareNumbers, entries);
    for (const { key, data, isTree } of entries) {
      if (isTree || key.length !== 8 || readNumber(key, 0) > this.#meta.transaction) throw damagedFreeList();
      this.#claimFree(data);
    }
  }

  async #walk(name: string, tree: Tree, compare: Compare, entries?: Entry[]): Promise<void> {
    const counted = { branches: 0, leaves: 0, overflows: 0, entries: 0 };
    const walk: Walk = { name, tree, compare, counted, ...(entries && { entries }) };
    if (tree.depth > maxDepth) throw new Damage(`is damaged: its ${name} pages are too deep`);
    const visits: Visit[] = [];
    if (tree.root !== undefined) visits.push({ number: tree.root, depth: 1, from: undefined, to: undefined });
    for (let visit = visits.pop(); visit !== undefined; visit = visits.pop()) {
      this.#visit(walk, visit, visits);
      if (++this.#visited % slicePages === 0) await nextTurn(systemEventLoop);
    }
    const isRight =
      counted.branches === tree.branches &&
      counted.leaves === tree.leaves &&
      counted.overflows === tree.overflows &&
      counted.entries === tree.entries;
    if (!isRight) throw new Damage(`does not have as many ${name} pages and entries as its header says`);
  }

  /** Checks a page. Adds its child pages to `visits`, in reverse order. */
  #visit(walk: Walk, visit: Visit, visits: Visit[]): void {
    const { number, depth } = visit;
    const page = this.#page;
    const isLeaf = depth === walk.tree.depth;
    this.#claim(number, 1);
    this.#read(number, page, isLeaf ? pageFlags.leaf : pageFlags.branch);
    const count = entryCount(page, number, isLeaf);
    const upper = page.readUInt16LE(pageHeader.upperAt);
    const below: { readonly number: number; readonly key: Buffer | undefined }[] = [];
    let before = visit.from;
    let beforeStart = 0;
    let beforeEnd = before?.length ?? 0;
    let sizes = 0;
    for (let index = 0; index < count; index++) {
      const offset = page.readUInt16LE(pageHeader.size + 2 * index);
      const start = pageHeader.size + offset;
      const keyStart = start + node.keyAt;
      if (offset % 2 !== 0 || offset < upper || keyStart > page.length) throw entryOutside(number);
      const keyEnd = keyStart + page.readUInt16LE(start + node.keySizeAt);
      const end = isLeaf ? keyEnd + storedSize(page, start, number) : keyEnd;
      if (end > page.length) throw entryOutside(number);
      sizes += (end - start + 1) & ~1;
      // The key of a branch's first entry is not used.
      if (isLeaf || index > 0) {
        if (keyStart === keyEnd) throw outOfOrder(walk, number);
        if (before !== undefined) {
          const order = walk.compare(before, beforeStart, beforeEnd, page, keyStart, keyEnd);
          // The first key of a page may equal the separator key in its parent.
          if (order > 0 || (order === 0 && before === page)) throw outOfOrder(walk, number);
        }
        before = page;
        beforeStart = keyStart;
        beforeEnd = keyEnd;
      }
      if (isLeaf) this.#visitEntry(walk, number, start, keyEnd, end);
      else below.push({ number: childOf(page, start), key: index > 0 ? copyOf(page, keyStart, keyEnd) : visit.from });
    }
    // Entries are contiguous, up to the end of the page.
    if (sizes !== page.length - pageHeader.size - upper) throw wrongPage(number, 'has entries that overlap');
    const { to } = visit;
    if (to !== undefined && before === page && walk.compare(page, beforeStart, beforeEnd, to, 0, to.length) >= 0) {
      throw outOfOrder(walk, number);
    }
    if (isLeaf) {
      walk.counted.leaves++;
      walk.counted.entries += count;
      return;
    }
    walk.counted.branches++;
    for (let index = count - 1; index >= 0; index--) {
      const { number: child, key: from } = below[index]!;
      visits.push({ number: child, depth: depth + 1, from, to: below[index + 1]?.key ?? to });
    }
  }

  /** Checks an entry of the leaf in `#page`. */
  #visitEntry(walk: Walk, number: number, start: number, keyEnd: number, end: number): void {
    const page = this.#page;
    const flags = page.readUInt16LE(start + node.flagsAt);
    const isTree = flags === nodeFlags.tree;
    if (isTree && walk.entries === undefined) throw wrongPage(number, `has a tree among its ${walk.name}`);
    const value = flags === nodeFlags.overflow ? this.#visitOverflow(walk, start, keyEnd) : undefined;
    walk.entries?.push({
      key: copyOf(page, start + node.keyAt, keyEnd),
      data: value ?? copyOf(page, keyEnd, end),
      isTree,
    });
  }

  /** Checks the overflow pages of a value. Returns the value when LMDB itself interprets it. */
  #visitOverflow(walk: Walk, start: number, referenceAt: number): Buffer | undefined {
    const { pageSize } = this.#file;
    const size = sizeOf(this.#page, start);
    const number = readNumber(this.#page, referenceAt + overflowReference.pageAt);
    const count = readNumber(this.#page, referenceAt + overflowReference.countAt);
    if (count !== Math.floor((pageHeader.size - 1 + size) / pageSize) + 1) {
      throw wrongPage(number, 'is not as long as its value');
    }
    this.#claim(number, count);
    walk.counted.overflows += count;
    const first = this.#overflowPage;
    this.#read(number, first, pageFlags.overflow);
    if (first.readUInt32LE(pageHeader.pagesAt) !== count) throw wrongPage(number, 'is not as long as its value');
    if (walk.entries === undefined) return undefined;
    const value = Buffer.alloc(count * pageSize);
    first.copy(value);
    for (let index = 1; index < count; index++) this.#readBytes(number + index, value.subarray(index * pageSize));
    return value.subarray(pageHeader.size, pageHeader.size + size);
  }

  /**
   * Marks the pages of a free list as used. A list is the number of words that follow; each word is a page number, or a negative count
   * followed by the first page of the run, or 0.
   */
  #claimFree(list: Buffer): void {
    const words = list.length >= 8 ? readNumber(list, 0) : Number.POSITIVE_INFINITY;
    if (words * 8 + 8 > list.length) throw damagedFreeList();
    for (let word = 1; word <= words; word++) {
      let number = Number(list.readBigInt64LE(word * 8));
      let count = 1;
      if (number < 0) {
        count = -number;
        number = ++word <= words ? Number(list.readBigInt64LE(word * 8)) : 0;
        if (number <= 0) throw damagedFreeList();
      }
      if (number === 0) continue;
      if (number + count - 1 > this.#meta.lastPage) throw damagedFreeList();
      // Free pages at the end of the file may never have been written.
      if (number < this.#used.length) this.#claim(number, Math.min(count, this.#used.length - number));
    }
  }

  /** Marks pages as used. Throws when one is used already or is outside of the file. */
  #claim(number: number, count: number): void {
    const end = number + count;
    if (number < firstTreePage || end - 1 > this.#meta.lastPage)
      throw wrongPage(number, 'is outside of the valid range');
    if (end > this.#used.length) throw this.#cutOff();
    for (let page = number; page < end; page++) {
      if (this.#used[page] === 1) throw wrongPage(page, 'is used twice');
      this.#used[page] = 1;
    }
  }

  #read(number: number, into: Buffer, flags: number): void {
    this.#readBytes(number, into);
    if (readNumber(into, pageHeader.numberAt) !== number) throw wrongPage(number, 'has the number of another page');
    if (readNumber(into, pageHeader.transactionAt) > this.#meta.transaction) throw wrongPage(number, 'is too new');
    if (into.readUInt16LE(pageHeader.flagsAt) !== flags) throw wrongPage(number, 'is of a wrong kind');
  }

  #readBytes(number: number, into: Buffer): void {
    if (!this.#file.read(number, into)) throw this.#cutOff();
  }

  #cutOff(): Damage {
    return new Damage(cutOff(this.#used.length, this.#meta));
  }
}

export const cutOff = (filePages: number, { lastPage }: Meta): string =>
  `is cut off: it has ${filePages} pages of ${lastPage + 1}`;

function entryCount(page: Buffer, number: number, isLeaf: boolean): number {
  const lower = page.readUInt16LE(pageHeader.lowerAt);
  const upper = page.readUInt16LE(pageHeader.upperAt);
  const count = lower / 2;
  if (lower % 2 !== 0 || lower > upper || upper > page.length - pageHeader.size || count < (isLeaf ? 1 : 2)) {
    throw wrongPage(number, 'has a damaged header');
  }
  return count;
}

/** Returns the number of bytes of a leaf's entry after its key. */
function storedSize(page: Buffer, start: number, number: number): number {
  const flags = page.readUInt16LE(start + node.flagsAt);
  if (flags === nodeFlags.overflow) return overflowReference.size;
  if (flags !== 0 && flags !== nodeFlags.tree) throw wrongPage(number, 'has an unknown kind of entry');
  return sizeOf(page, start);
}

const sizeOf = (page: Buffer, start: number): number =>
  page.readUInt16LE(start + node.lowAt) + page.readUInt16LE(start + node.highAt) * 2 ** 16;

/** Returns the page that a branch's entry points to. */
const childOf = (page: Buffer, start: number): number =>
  sizeOf(page, start) + page.readUInt16LE(start + node.flagsAt) * 2 ** 32;

const copyOf = (page: Buffer, start: number, end: number): Buffer => Buffer.from(page.subarray(start, end));

/** Keys have a few bytes, so a call of `Buffer.compare` costs more than this loop. */
const compareBytes: Compare = (a, aStart, aEnd, b, bStart, bEnd) => {
  const length = Math.min(aEnd - aStart, bEnd - bStart);
  for (let index = 0; index < length; index++) {
    const difference = a[aStart + index]! - b[bStart + index]!;
    if (difference !== 0) return difference;
  }
  return aEnd - aStart - (bEnd - bStart);
};

/** The keys of the free tree are transaction numbers. */
const compareNumbers: Compare = (a, aStart, aEnd, b, bStart, bEnd) =>
  aEnd - aStart === 8 && bEnd - bStart === 8 ? readNumber(a, aStart) - readNumber(b, bStart) : 1;

const wrongPage = (number: number, what: string): Damage => new Damage(`has a damaged page: page ${number} ${what}`);

const entryOutside = (number: number): Damage => wrongPage(number, 'has an entry that is not in it');

const outOfOrder = ({ name }: Walk, number: number): Damage => wrongPage(number, `has ${name} that are out of order`);

const damagedFreeList = (): Damage => new Damage('has a damaged list of free pages');
