import { join } from 'node:path';

/** The length of a socket address is limited to about this many bytes; the exact limit depends on the system. */
const maxSocketPath = 100;

/** The address on which the holder of a lock listens. */
export interface LockAddress {
  readonly path: string;
  /** True when the path is that of a file, and too long for a socket address. */
  readonly isTooLong: boolean;
}

/**
 * Returns the address of a socket in a directory. On Windows, where sockets are not files, it is a named pipe: the names of sockets are
 * random, so no two directories have the same.
 */
export function lockAddress(
  directory: string,
  socket: string,
  platform: NodeJS.Platform = process.platform,
): LockAddress {
  if (platform === 'win32') return { path: `\\\\.\\pipe\\coxswain-${socket}`, isTooLong: false };
  const path = join(directory, socket);
  return { path, isTooLong: Buffer.byteLength(path) > maxSocketPath };
}
