import { CorruptLogError, type Log } from '../mvcc/index.ts';
import { sumOf } from './record-codec.ts';

export type Compaction = Log['compaction'];

/** The name under which it is written down how far compaction is. */
export const compactionMark = 'compaction';

/** With a checksum: nothing else in the file would tell that it is wrong. */
export function encodeCompaction({ compactedRevision, removedThrough }: Compaction): unknown {
  return { compactedRevision, removedThrough, sum: sum(compactedRevision, removedThrough) };
}

/** Throws a `CorruptLogError` for a mark that is not as it was written. */
export function decodeCompaction(mark: (name: string) => unknown): Compaction {
  const written = read(mark, compactionMark);
  if (written === undefined) {
    // As it was before there were checksums.
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

const unreadable = (): CorruptLogError => new CorruptLogError('it cannot be read how far compaction is');

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
