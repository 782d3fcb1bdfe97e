/** Thrown when a data directory cannot be used. The message has the reason; nothing in the directory was changed. */
export class DataDirectoryError extends Error {
  override readonly name = 'DataDirectoryError';
  readonly path: string;

  constructor(path: string, problem: string, options?: ErrorOptions) {
    super(`data directory ${path} ${problem}`, options);
    this.path = path;
  }
}
