import { open as openWithCallback } from 'node:fs';

/** Opens a file and returns its number alone, for a socket that will own it. A `FileHandle` would close it when it is collected. */
export function openDescriptor(path: string, flags: number): Promise<number> {
  return new Promise((resolve, reject) => {
    openWithCallback(path, flags, (error, fd) => (error ? reject(error) : resolve(fd)));
  });
}
