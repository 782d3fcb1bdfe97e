import { describe, expect, it } from 'vitest';
import { MemoryLog } from '../memory/memory-log.ts';
import { loadIndex } from './key-index.ts';
import { CorruptLogError, type LogRecord } from './log.ts';

type Numbers = readonly [revision: number, createRevision: number, previousRevision: number];

/** Returns a log with changes of one key. */
function logOf(records: readonly Numbers[], compactedRevision = 0): MemoryLog {
  const log = new MemoryLog();
  log.append(
    records.map(([revision, createRevision, previousRevision]) => {
      const record: LogRecord = { revision, key: 'a', createRevision, previousRevision, expiresAt: 0 };
      return { record, value: createRevision === 0 ? undefined : new Uint8Array() };
    }),
  );
  log.markCompacted(compactedRevision);
  return log;
}

describe('loadIndex', () => {
  it.each<[string, readonly Numbers[], number, number]>([
    ['nothing', [], 0, 1],
    ['nothing but a compaction', [], 7, 7],
    [
      'a creation, a deletion and a creation',
      [
        [2, 2, 0],
        [3, 2, 2],
        [4, 0, 3],
        [5, 5, 4],
      ],
      0,
      5,
    ],
    [
      'the records that a compaction leaves',
      [
        [3, 2, 2],
        [4, 2, 3],
      ],
      3,
      4,
    ],
    ['a key that was created again after its deletion was compacted', [[6, 6, 4]], 5, 6],
    [
      'a compaction of which only the revision was stored',
      [
        [2, 2, 0],
        [3, 2, 2],
        [4, 2, 3],
      ],
      4,
      4,
    ],
  ])('accepts %s', (_, records, compacted, revision) => {
    const loaded = loadIndex(logOf(records, compacted));
    expect(loaded.revision).toBe(revision);
    expect(loaded.index.head('a')?.revision).toBe(records.at(-1)?.[0]);
  });

  it.each<[string, readonly Numbers[], number]>([
    ['a missing first change', [[3, 3, 0]], 0],
    [
      'a gap',
      [
        [2, 2, 0],
        [4, 2, 2],
      ],
      0,
    ],
    [
      'a gap after compaction',
      [
        [2, 2, 0],
        [5, 2, 2],
      ],
      3,
    ],
    ['an update of a missing key', [[2, 1, 0]], 0],
    ['a deletion of a missing key', [[2, 0, 0]], 0],
    [
      'a change that skips another',
      [
        [2, 2, 0],
        [3, 2, 2],
        [4, 2, 2],
      ],
      0,
    ],
    [
      'a key that is created twice',
      [
        [2, 2, 0],
        [3, 3, 2],
      ],
      0,
    ],
    [
      'an update of a deleted key',
      [
        [2, 2, 0],
        [3, 0, 2],
        [4, 2, 3],
      ],
      0,
    ],
    [
      'a change whose previous change is missing',
      [
        [2, 2, 0],
        [3, 2, 1],
      ],
      1,
    ],
  ])('refuses %s', (_, records, compacted) => {
    expect(() => loadIndex(logOf(records, compacted))).toThrow(CorruptLogError);
  });
});
