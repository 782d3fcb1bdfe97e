import { expect, it } from 'vitest';
import type { LogRecord } from './log.ts';
import { RecentRecords } from './recent-records.ts';

it('records are read from the log once, and dropped when they are compacted', () => {
  const read: number[] = [];
  const record = (revision: number): LogRecord | undefined => {
    read.push(revision);
    return { revision, key: 'a', createRevision: 2, previousRevision: revision - 1, expiresAt: 0 };
  };
  const records = new RecentRecords({ record });
  for (const revision of [3, 4, 5, 4, 5]) expect(records.record(revision)?.revision).toBe(revision);
  expect(read).toEqual([3, 4, 5]);
  records.forgetBefore(5);
  expect(records.size).toBe(1);
  records.record(5);
  expect(read).toEqual([3, 4, 5]);
});
