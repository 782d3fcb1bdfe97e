import { RegistryError, type RegistryErrorReason } from '../registry/index.ts';
import { ImageError } from './image-error.ts';

/** A pull that failed, with containerd's message. */
export class PullError extends Error {
  /** Undefined if neither the registry nor the image is the reason: the disk, for example. */
  readonly reason: RegistryErrorReason | undefined;

  constructor(image: string, cause: unknown) {
    super(`failed to pull and unpack image ${JSON.stringify(image)}: ${(cause as Error).message}`, { cause });
    this.name = 'PullError';
    this.reason = reasonOf(cause);
  }
}

function reasonOf(error: unknown): RegistryErrorReason | undefined {
  if (error instanceof RegistryError) return error.reason;
  if (error instanceof ImageError) return error.isNotFound ? 'notFound' : 'invalid';
  return error instanceof Error && error.cause !== undefined ? reasonOf(error.cause) : undefined;
}
