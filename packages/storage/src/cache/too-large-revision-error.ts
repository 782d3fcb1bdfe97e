/** A revision that the cache has not come to in the time that was given to it. */
export class TooLargeRevisionError extends Error {
  override readonly name = 'TooLargeRevisionError';
  readonly revision: number;
  readonly currentRevision: number;

  constructor(revision: number, currentRevision: number) {
    super(`Too large resource version: ${revision}, current: ${currentRevision}`);
    this.revision = revision;
    this.currentRevision = currentRevision;
  }
}
