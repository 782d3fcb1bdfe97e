/** A revision that is no longer known. */
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

/** A revision that the store has not come to yet. */
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

/** The store is closed. */
export class StoreClosedError extends Error {
  override readonly name = 'StoreClosedError';

  constructor() {
    super('the store is closed');
  }
}

/** There is no room for what should be written. Deletions are done nevertheless, and make room. */
export class StoreFullError extends Error {
  override readonly name = 'StoreFullError';

  constructor(
    message = 'the store is full: its disk has no room for new objects; delete some, or make room on the disk',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The store cannot answer now: no connection, no room on disk. Trying again later may help. `cause` says why. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}
