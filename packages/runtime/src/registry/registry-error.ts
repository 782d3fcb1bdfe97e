export type RegistryErrorReason =
  | 'notFound'
  /** The registry wants (other) credentials. */
  | 'unauthorized'
  /** The registry cannot be reached, or failed. Another try may succeed. */
  | 'unavailable'
  /** What the registry sent is not what was asked for, or not valid. */
  | 'invalid';

/** A failed request to a registry. The message has the form of containerd's, because users see it in Events. */
export class RegistryError extends Error {
  readonly reason: RegistryErrorReason;

  constructor(reason: RegistryErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RegistryError';
    this.reason = reason;
  }
}
