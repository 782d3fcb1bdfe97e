import { join } from 'node:path';

/** The address of a socket has room for about this many bytes, less on some systems. */
const maxSocketPath = 100;

/** Where the holder of a lock listens. */
export interface LockAddress {
  readonly path: string;
  /** The path is of a file, and too long for the address of a socket. */
  readonly isTooLong: boolean;
}

/**
 * The address by which a socket in a directory is reached. On Windows, where sockets are no files, it is a named pipe: the names of sockets
 * are random, and so no two directories have the same.
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
