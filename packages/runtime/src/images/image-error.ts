/** An image that is not valid, or has nothing for this machine. */
export class ImageError extends Error {
  /** True if there is no such image, or none for this machine. */
  readonly isNotFound: boolean;

  constructor(
    message: string,
    { isNotFound = false, ...options }: ErrorOptions & { readonly isNotFound?: boolean } = {},
  ) {
    super(message, options);
    this.name = 'ImageError';
    this.isNotFound = isNotFound;
  }
}
