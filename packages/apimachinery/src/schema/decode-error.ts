/** Thrown when data is not an object of its kind. The message is upstream's. */
export class DecodeError extends Error {
  override readonly name: string = 'DecodeError';
}
