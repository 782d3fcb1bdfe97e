import { messageOf } from '@coxswain/apimachinery/errors';
import { StoreFullError, StoreUnavailableError } from '../errors.ts';
import type { KeyValue, WriteResult } from '../store.ts';
import type { KeyIndex } from './key-index.ts';
import { isDeletion, type Log, type LogEntry, type LogRecord } from './log.ts';

/**
 * The limits of writes that wait for the disk, because they hold memory. Writes above them are rejected with a
 * `StoreUnavailableError`.
 */
const maxWaitingWrites = 100_000;
const maxWaitingBytes = 256 * 1024 * 1024;

/** A requested write. */
export interface Intent {
  readonly key: string;
  /** Undefined for a deletion. */
  readonly value: Uint8Array | undefined;
  readonly expected: number;
  readonly expiresAt: number;
  readonly note: unknown;
}

/** A write that was accepted and has a revision. */
export interface Write extends LogEntry {
  /** The key's change before this one; undefined when there was none. */
  readonly previous: LogRecord | undefined;
  readonly note: unknown;
}

/** The functions that settle a write's promise. */
interface Waiter {
  readonly resolve: (result: WriteResult) => void;
  readonly reject: (error: Error) => void;
}

interface WaitingWrite extends Write, Waiter {
  readonly batch: Batch;
}

/** A write that conflicts with another one that is not durable yet. It is answered when that one is committed. */
interface Refusal extends Waiter {
  readonly against: Write;
}

class Batch {
  readonly writes: WaitingWrite[] = [];
  readonly refusals: Refusal[] = [];
}

export interface WriteQueueOptions {
  readonly log: Log;
  readonly index: KeyIndex;
  readonly revision: number;
  /** Called when writes have become durable, in order, before their promises resolve. It must not throw. */
  readonly onCommitted: (writes: readonly Write[]) => void;
  /** Called when a put was refused for want of room. */
  readonly onFull: () => void;
}

/**
 * Decides writes one after the other in memory, and commits them in groups: while one group is being written to the
 * disk, the next gathers. A later write is decided on the result of earlier ones, durable or not, and is answered after
 * them.
 *
 * When a group fails, all writes decided after it fail too, because they were decided on writes that never happened.
 * Only deletions are decided again, when the group failed because its puts had no room.
 */
export class WriteQueue {
  readonly #log: Log;
  readonly #index: KeyIndex;
  readonly #onCommitted: (writes: readonly Write[]) => void;
  readonly #onFull: () => void;
  /**
   * The newest write of each key that is decided and not committed. A key is in it if and only if it has such a write.
   */
  readonly #pending = new Map<string, WaitingWrite>();
  /** The revision of the last write decided. Equal to `#committed` when no write is waiting. */
  #decided: number;
  #committed: number;
  #gathering = new Batch();
  #committing: Batch | undefined;
  #waitingBytes = 0;
  #idle: (() => void)[] = [];

  constructor({ log, index, revision, onCommitted, onFull }: WriteQueueOptions) {
    this.#log = log;
    this.#index = index;
    this.#onCommitted = onCommitted;
    this.#onFull = onFull;
    this.#decided = revision;
    this.#committed = revision;
  }

  submit(intent: Intent): Promise<WriteResult> {
    const pending = this.#pending.get(intent.key);
    const head = pending === undefined ? this.#index.head(intent.key) : pending.record;
    const modRevision = head === undefined || isDeletion(head) ? 0 : head.revision;
    if (modRevision === intent.expected && (intent.value !== undefined || modRevision !== 0)) {
      return this.#accept(intent, head);
    }
    if (pending === undefined) return Promise.resolve(this.#refusal(head));
    return new Promise((resolve, reject) => {
      pending.batch.refusals.push({ against: pending, resolve, reject });
    });
  }

  /** Resolves when no write is waiting. */
  idle(): Promise<void> {
    if (this.#decided === this.#committed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle.push(resolve);
    });
  }

  #accept({ key, value, expiresAt, note }: Intent, previous: LogRecord | undefined): Promise<WriteResult> {
    const size = key.length + (value?.length ?? 0);
    if (this.#decided - this.#committed >= maxWaitingWrites || this.#waitingBytes + size > maxWaitingBytes) {
      return Promise.reject(new StoreUnavailableError('too many writes are waiting for the disk'));
    }
    const isNew = previous === undefined || isDeletion(previous);
    const refusal = value && this.#log.refusal?.(size, this.#waitingBytes, isNew);
    if (refusal) {
      this.#onFull();
      return Promise.reject(refusal);
    }
    this.#waitingBytes += size;
    const revision = ++this.#decided;
    const record: LogRecord = {
      revision,
      key,
      createRevision: value === undefined ? 0 : isNew ? revision : previous.createRevision,
      previousRevision: previous?.revision ?? 0,
      expiresAt,
    };
    const batch = this.#gathering;
    return new Promise((resolve, reject) => {
      const write: WaitingWrite = { record, value, previous, note, batch, resolve, reject };
      this.#pending.set(key, write);
      if (batch.writes.push(write) === 1 && this.#committing === undefined) this.#log.gather(this.#commit);
    });
  }

  readonly #commit = async (): Promise<void> => {
    const batch = this.#gathering;
    this.#gathering = new Batch();
    this.#committing = batch;
    try {
      const appended = this.#log.append(batch.writes);
      if (appended !== undefined) await appended;
    } catch (cause) {
      this.#fail(batch, cause);
      return;
    }
    this.#succeed(batch);
  };

  #succeed(batch: Batch): void {
    for (const write of batch.writes) {
      const { key } = write.record;
      this.#index.apply(write.record);
      this.#waitingBytes -= key.length + (write.value?.length ?? 0);
      if (this.#pending.get(key) === write) this.#pending.delete(key);
    }
    this.#committed += batch.writes.length;
    this.#onCommitted(batch.writes);
    for (const { resolve, record } of batch.writes) resolve({ ok: true, revision: record.revision });
    for (const { against, resolve } of batch.refusals) {
      const { record, value } = against;
      resolve({ ok: false, current: value && keyValue(record, value), revision: this.#committed });
    }
    this.#goOn();
  }

  #fail(batch: Batch, cause: unknown): void {
    const lost = [batch, this.#gathering];
    this.#gathering = new Batch();
    this.#pending.clear();
    this.#decided = this.#committed;
    this.#waitingBytes = 0;
    const reason = messageOf(cause);
    const errorOf = (): Error =>
      cause instanceof StoreFullError
        ? cause
        : new StoreUnavailableError(`the write could not be stored: ${reason}`, { cause });
    // Deletions need hardly any room, and free some: they must not fail because of puts in the same group.
    const isDeletedAlone = cause instanceof StoreFullError && batch.writes.some(({ value }) => value !== undefined);
    for (const { writes, refusals } of lost) {
      for (const write of writes) {
        if (isDeletedAlone && write.value === undefined) this.#submitAgain(write);
        else write.reject(errorOf());
      }
      for (const { reject } of refusals) reject(errorOf());
    }
    if (cause instanceof StoreFullError) this.#onFull();
    this.#goOn();
  }

  /** Submits the deletion again, because the writes it was decided on may have failed. */
  #submitAgain({ record: { key, expiresAt }, previous, note, resolve, reject }: WaitingWrite): void {
    const expected = previous?.revision ?? 0;
    this.submit({ key, value: undefined, expected, expiresAt, note }).then(resolve, reject);
  }

  #goOn(): void {
    this.#committing = undefined;
    if (this.#gathering.writes.length > 0) {
      this.#log.gather(this.#commit);
    } else {
      for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  #refusal(head: LogRecord | undefined): WriteResult {
    const current = head && !isDeletion(head) ? keyValue(head, this.#log.value(head.revision)) : undefined;
    return { ok: false, current, revision: this.#committed };
  }
}

/** Returns a put as an entry for readers. */
export function keyValue(record: LogRecord, value: Uint8Array): KeyValue {
  return { key: record.key, value, createRevision: record.createRevision, modRevision: record.revision };
}
