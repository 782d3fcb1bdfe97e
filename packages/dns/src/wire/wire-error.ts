/** The bytes are no valid DNS message, or a text is no valid name or record. */
export class WireError extends Error {
  override readonly name = 'WireError';
}
