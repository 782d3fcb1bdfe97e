/**
 * The layout of an LMDB file, data format 2, as lmdb 3 writes it on little-endian machines. Numbers of pages and
 * transactions have 64 bits.
 */

/**
 * A page begins with its own number and that of the transaction that wrote it. Offsets in pages count from the header's
 * end.
 */
export const pageHeader = {
  numberAt: 0,
  transactionAt: 8,
  flagsAt: 18,
  lowerAt: 20,
  upperAt: 22,
  pagesAt: 20,
  size: 24,
};

export const pageFlags = { branch: 1, leaf: 2, overflow: 4, meta: 8 };

/** An entry of a page: two halves of a number, flags, the length of the key, the key, and in leaves the data. */
export const node = { lowAt: 0, highAt: 2, flagsAt: 4, keySizeAt: 6, keyAt: 8 };

/** Flags of a leaf's entry whose data is not the value itself: a reference to overflow pages, or a tree. */
export const nodeFlags = { overflow: 1, tree: 2 };

/** An entry's reference to overflow pages: the first page, the transaction, the number of pages. */
export const overflowReference = { pageAt: 0, countAt: 16, size: 24 };

const tree = {
  flagsAt: 4,
  depthAt: 6,
  branchesAt: 8,
  leavesAt: 16,
  overflowsAt: 24,
  entriesAt: 32,
  rootAt: 40,
  size: 48,
};

const meta = {
  magicAt: 24,
  magic: 0xbeefc0de,
  versionAt: 28,
  version: 2,
  addressAt: 32,
  freeTreeAt: 48,
  mainTreeAt: 96,
  lastPageAt: 144,
  transactionAt: 152,
  size: 160,
};

/** The number of bytes needed for `readMeta`. */
export const metaSize = meta.size;

/** The meta data of the file. Each of the first two pages has a copy; the one of the later transaction is valid. */
export interface Meta {
  readonly pageSize: number;
  readonly flags: number;
  readonly lastPage: number;
  readonly transaction: number;
  readonly free: Tree;
  readonly main: Tree;
}

/** The description of a tree of pages. */
export interface Tree {
  readonly flags: number;
  readonly depth: number;
  readonly branches: number;
  readonly leaves: number;
  readonly overflows: number;
  readonly entries: number;
  /** Undefined when the tree is empty. */
  readonly root: number | undefined;
}

/** Returns undefined when the page is not a meta page. */
export function readMeta(page: Buffer): Meta | undefined {
  if (page.length < meta.size) return undefined;
  const pageSize = page.readUInt32LE(meta.freeTreeAt);
  const isMeta =
    (page.readUInt16LE(pageHeader.flagsAt) & pageFlags.meta) !== 0 &&
    page.readUInt32LE(meta.magicAt) === meta.magic &&
    page.readUInt32LE(meta.versionAt) === meta.version &&
    page.readBigUInt64LE(meta.addressAt) === 0n &&
    pageSize >= 512 &&
    pageSize <= 0x10000 &&
    (pageSize & (pageSize - 1)) === 0;
  if (!isMeta) return undefined;
  const free = readTree(page, meta.freeTreeAt);
  return {
    pageSize,
    flags: free.flags,
    lastPage: readNumber(page, meta.lastPageAt),
    transaction: readNumber(page, meta.transactionAt),
    free,
    main: readTree(page, meta.mainTreeAt),
  };
}

export function readTree(bytes: Buffer, at: number): Tree {
  const root = readNumber(bytes, at + tree.rootAt);
  return {
    flags: bytes.readUInt16LE(at + tree.flagsAt),
    depth: bytes.readUInt16LE(at + tree.depthAt),
    branches: readNumber(bytes, at + tree.branchesAt),
    leaves: readNumber(bytes, at + tree.leavesAt),
    overflows: readNumber(bytes, at + tree.overflowsAt),
    entries: readNumber(bytes, at + tree.entriesAt),
    root: root === noPage ? undefined : root,
  };
}

export const treeSize = tree.size;

/** A page number with all 64 bits set, which means "none". */
const noPage = 2 ** 64;

/** Reads a 64-bit number. Numbers above 2 ** 53 are not exact. */
export function readNumber(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32;
}
