/** The semantics of `Store` over any log that keeps records by revision. */
export { CorruptLogError, emptyRevision, isDeletion, type Log, type LogEntry, type LogRecord } from './log.ts';
export { MvccStore, type MvccStoreOptions } from './mvcc-store.ts';
