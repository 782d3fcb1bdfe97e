import { open } from 'node:fs/promises';

/** Where things are in a file of LMDB, data format 2: two pages like this, of which the one with the higher id counts. */
const layout = {
  magicAt: 24,
  magic: 0xbeefc0de,
  versionAt: 28,
  version: 2,
  pageSizeAt: 48,
  lastPageAt: 144,
  transactionAt: 152,
  size: 160,
};

/** Pages that a transaction took and gave back are counted but may never have been written. */
const unwrittenPages = 16;

/**
 * What is wrong with the file as a whole, or undefined. LMDB believes its first pages and reads the rest through a
 * memory map: of a file that was cut off it would be killed by the system.
 */
export async function problemOfLmdbFile(path: string): Promise<string | undefined> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size === 0) return 'is empty';
    const first = await readMeta(file.read.bind(file), 0);
    if (first === undefined) return 'is not a file of LMDB, or is damaged';
    const second = await readMeta(file.read.bind(file), first.pageSize);
    if (second === undefined) return 'is damaged at its beginning';
    const { lastPage, pageSize } = second.transaction > first.transaction ? second : first;
    const expected = (lastPage + 1) * pageSize;
    return size < expected - unwrittenPages * pageSize ? `is cut off: it has ${size} bytes of ${expected}` : undefined;
  } finally {
    await file.close();
  }
}

interface Meta {
  readonly pageSize: number;
  readonly lastPage: number;
  readonly transaction: number;
}

type Read = (buffer: Buffer, offset: number, length: number, position: number) => Promise<{ bytesRead: number }>;

async function readMeta(read: Read, position: number): Promise<Meta | undefined> {
  const page = Buffer.alloc(layout.size);
  const { bytesRead } = await read(page, 0, layout.size, position);
  const pageSize = page.readUInt32LE(layout.pageSizeAt);
  if (
    bytesRead < layout.size ||
    page.readUInt32LE(layout.magicAt) !== layout.magic ||
    page.readUInt32LE(layout.versionAt) !== layout.version ||
    pageSize < 512 ||
    pageSize > 0x10000
  ) {
    return undefined;
  }
  return {
    pageSize,
    lastPage: Number(page.readBigUInt64LE(layout.lastPageAt)),
    transaction: Number(page.readBigUInt64LE(layout.transactionAt)),
  };
}
