/** A data directory that cannot be used as it is. The message says why; nothing in the directory was changed. */
export class DataDirectoryError extends Error {
  override readonly name = 'DataDirectoryError';
  readonly path: string;

  constructor(path: string, problem: string, options?: ErrorOptions) {
    super(`data directory ${path} ${problem}`, options);
    this.path = path;
  }
}
