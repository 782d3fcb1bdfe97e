/** The cache has not reached the revision within the timeout. */
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
