import { open } from 'node:fs/promises';
import { type Meta, metaSize, readMeta } from './lmdb-format.ts';
import { cutOff, PageCheck } from './page-check.ts';
import { PageFile } from './page-file.ts';

/**
 * Pages at the end of the file that a transaction allocated and freed again are counted, but may never have been
 * written.
 */
const maxUnwrittenPages = 1024;

/**
 * Returns the problem of the file, as the end of a sentence that begins with its name; undefined when LMDB can use the
 * file safely. `trees` are the allowed names of databases.
 */
export async function problemOfLmdbFile(path: string, trees: ReadonlySet<string>): Promise<string | undefined> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size === 0) return 'is empty';
    const first = await metaAt(0);
    if (first === undefined) return 'is not a file of LMDB, or is damaged';
    const { pageSize } = first;
    const second = await metaAt(pageSize);
    if (second === undefined || !areSiblings(first, second)) return 'is damaged at its beginning';
    const meta = second.transaction > first.transaction ? second : first;
    const [has, of] = [Math.floor(size / pageSize), meta.lastPage + 1];
    if (has < of - maxUnwrittenPages) return cutOff(has, meta);
    return await new PageCheck(new PageFile(file.fd, pageSize), meta, has).problem(trees);
  } finally {
    await file.close();
  }

  async function metaAt(position: number): Promise<Meta | undefined> {
    const page = Buffer.alloc(metaSize);
    const { bytesRead } = await file.read(page, 0, metaSize, position);
    return readMeta(page.subarray(0, bytesRead));
  }
}

/**
 * Returns whether both meta pages belong to the same file: transactions write them alternately, from the first
 * transaction on.
 */
function areSiblings(first: Meta, second: Meta): boolean {
  const isNew = first.transaction === 0 && second.transaction === 0;
  return (
    first.pageSize === second.pageSize &&
    first.flags === second.flags &&
    (isNew || (first.transaction % 2 === 0 && Math.abs(first.transaction - second.transaction) === 1))
  );
}
