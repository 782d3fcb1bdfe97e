/** The semantics of `Store` over anything that keeps records by revision. */
export { type Clock, nextTurn, onNextTurn, systemClock } from './clock.ts';
export { CorruptLogError, emptyRevision, isDeletion, type Log, type LogEntry, type LogRecord } from './log.ts';
export { MvccStore } from './mvcc-store.ts';
