import { readSync } from 'node:fs';
import { type Meta, metaSize, node, pageHeader, readMeta, readTree, type Tree, treeSize } from './lmdb-format.ts';

/**
 * How many bytes of a file of LMDB are in pages that hold nothing. Those of the last two transactions are counted,
 * which LMDB does not use yet. 0 when it cannot be told.
 */
export function freeBytes(descriptor: number): number {
  const meta = newestMeta(descriptor);
  if (!meta) return 0;
  const trees = [meta.main, meta.free, ...namedTrees(descriptor, meta)];
  const used = trees.reduce((sum, { branches, leaves, overflows }) => sum + branches + leaves + overflows, 2);
  return Math.max(0, meta.lastPage + 1 - used) * meta.pageSize;
}

function newestMeta(descriptor: number): Meta | undefined {
  const first = readMeta(read(descriptor, 0, metaSize));
  const second = first && readMeta(read(descriptor, first.pageSize, metaSize));
  return second && second.transaction > first.transaction ? second : first;
}

/** There are so few that one leaf has all of them. */
function namedTrees(descriptor: number, { main, pageSize }: Meta): Tree[] {
  if (main.root === undefined || main.depth !== 1) return [];
  const page = read(descriptor, main.root * pageSize, pageSize);
  const trees: Tree[] = [];
  for (let index = 0; index < main.entries; index++) {
    const start = pageHeader.size + page.readUInt16LE(pageHeader.size + 2 * index);
    const at = start + node.keyAt + page.readUInt16LE(start + node.keySizeAt);
    if (at + treeSize <= page.length) trees.push(readTree(page, at));
  }
  return trees;
}

function read(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  readSync(descriptor, bytes, 0, length, position);
  return bytes;
}
