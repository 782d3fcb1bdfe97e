import type { KeyValue, StoreEvent } from '../store.ts';
import { isDeletion, type Log, type LogRecord } from './log.ts';
import { keyValue, type Write } from './write-queue.ts';

/** Returns the watch event of a change in the log. `write` is the write that made it, if it was just committed. */
export function eventOf(log: Log, record: LogRecord, write?: Write): StoreEvent {
  const { revision, key } = record;
  const before = write === undefined ? recordBefore(log, record) : write.previous;
  const previous: KeyValue | undefined =
    before === undefined || isDeletion(before) ? undefined : keyValue(before, log.value(before.revision));
  const note = write?.note;
  if (isDeletion(record)) return { type: 'delete', key, previous, revision, note };
  const entry = keyValue(record, write?.value ?? log.value(revision));
  return { type: 'put', key, entry, previous, revision, note };
}

function recordBefore(log: Log, { previousRevision }: LogRecord): LogRecord | undefined {
  return previousRevision === 0 ? undefined : log.record(previousRevision);
}
