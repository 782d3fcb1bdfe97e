import { CorruptLogError, type Log } from '../mvcc/index.ts';
import { sumOf } from './record-codec.ts';

export type Compaction = Log['compaction'];

/** The key of the compaction state in the `marks` database. */
export const compactionMark = 'compaction';

/** Encodes the mark with a checksum, because nothing else in the file would reveal a wrong value. */
export function encodeCompaction({ compactedRevision, removedThrough }: Compaction): unknown {
  return { compactedRevision, removedThrough, sum: sum(compactedRevision, removedThrough) };
}

/** Throws a `CorruptLogError` when the mark is damaged. */
export function decodeCompaction(mark: (name: string) => unknown): Compaction {
  const written = read(mark, compactionMark);
  if (written === undefined) {
    // Format version 1 had two marks without checksums.
    return {
      compactedRevision: numberOr0(read(mark, 'compactedRevision')),
      removedThrough: numberOr0(read(mark, 'removedThrough')),
    };
  }
  if (isWritten(written) && written.sum === sum(written.compactedRevision, written.removedThrough)) {
    const { compactedRevision, removedThrough } = written;
    return { compactedRevision, removedThrough };
  }
  throw unreadable();
}

function read(mark: (name: string) => unknown, name: string): unknown {
  try {
    return mark(name);
  } catch (error) {
    if (error instanceof SyntaxError) throw unreadable();
    throw error;
  }
}

const sum = (compactedRevision: number, removedThrough: number): number =>
  sumOf(Buffer.from(`${compactedRevision} ${removedThrough}`), 0);

function numberOr0(value: unknown): number {
  if (value === undefined) return 0;
  if (typeof value !== 'number' || !(value >= 0)) throw unreadable();
  return value;
}

const unreadable = (): CorruptLogError => new CorruptLogError('the state of compaction cannot be read');

function isWritten(value: unknown): value is Compaction & { readonly sum: unknown } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'compactedRevision' in value &&
    typeof value.compactedRevision === 'number' &&
    'removedThrough' in value &&
    typeof value.removedThrough === 'number' &&
    'sum' in value
  );
}
