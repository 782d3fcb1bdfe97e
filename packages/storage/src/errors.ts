/** The error of a read or watch at a revision older than the compacted one. */
export class CompactedError extends Error {
  override readonly name = 'CompactedError';
  readonly revision: number;
  readonly compactedRevision: number;

  constructor(revision: number, compactedRevision: number) {
    super(`revision ${revision} has been compacted, the oldest known is ${compactedRevision}`);
    this.revision = revision;
    this.compactedRevision = compactedRevision;
  }
}

/** The error of a call with a revision newer than the store's current one. */
export class FutureRevisionError extends Error {
  override readonly name = 'FutureRevisionError';
  readonly revision: number;
  readonly currentRevision: number;

  constructor(revision: number, currentRevision: number) {
    super(`revision ${revision} is in the future, the current one is ${currentRevision}`);
    this.revision = revision;
    this.currentRevision = currentRevision;
  }
}

/** The error of every call on a closed store. */
export class StoreClosedError extends Error {
  override readonly name = 'StoreClosedError';

  constructor() {
    super('the store is closed');
  }
}

/** The error of a put for which the disk has no room. Deletions are still accepted, and free space. */
export class StoreFullError extends Error {
  override readonly name = 'StoreFullError';

  constructor(
    message = 'the store is full: its disk has no room for new objects; delete some, or make room on the disk',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * The store is temporarily unavailable: no connection, no space on the disk. A retry may succeed. `cause` has the
 * reason.
 */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}
