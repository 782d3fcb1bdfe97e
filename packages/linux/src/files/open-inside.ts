import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isAbsolute, join, normalize } from 'node:path';
import { hasCode } from './error-code.ts';

/** Linux's O_PATH, which Node does not name: the descriptor stands for the place in the tree and does not open the file. */
const oPath = 0o10000000;

const directoryFlags = oPath | constants.O_NOFOLLOW | constants.O_DIRECTORY;
/** Opens whatever is there itself, even a symbolic link, and neither blocks nor has effects on devices and pipes. */
export const anyFlags = oPath | constants.O_NOFOLLOW;

/** Path of an open file or directory. It leads to what was opened, even if that has been renamed or replaced since. */
export const pathOfHandle = (handle: FileHandle): string => `/proc/self/fd/${handle.fd}`;

/** The same for other processes of the mount namespace, such as helper processes. */
export const pathOfDescriptor = (handle: FileHandle): string => `/proc/${process.pid}/fd/${handle.fd}`;

/** Node has no openat(2). The kernel resolves this path from the open directory, so replacing a component above it has no effect. */
export const pathInside = (directory: FileHandle, name: string): string => `${pathOfHandle(directory)}/${name}`;

/** Opens a directory without following a symbolic link at the end of the path. */
export function openDirectory(path: string): Promise<FileHandle> {
  return open(path, directoryFlags);
}

/** Opens an entry of an open directory. A symbolic link is opened itself; its target is not. */
export async function openEntry(directory: FileHandle, name: string): Promise<FileHandle> {
  const path = pathInside(directory, name);
  try {
    // O_DIRECTORY lets an automounter mount what belongs here.
    return await open(path, directoryFlags);
  } catch (error) {
    if (!hasCode(error, 'ENOTDIR', 'ELOOP')) throw error;
    return await open(path, anyFlags);
  }
}

/**
 * Splits a path relative to a directory into its components. Throws if the path is absolute or has `..`, even if it would stay inside.
 */
export function componentsOf(path: string): string[] {
  const components = normalize(path).split('/');
  if (isAbsolute(path) || path.includes('\0') || path.split('/').includes('..')) {
    throw new Error(`path ${path} is outside of allowed base`);
  }
  return components.filter((component) => component !== '' && component !== '.');
}

/**
 * Opens a path inside a directory component by component, and follows no symbolic link, wherever it points and whenever it is made. The
 * descriptor is only good for `pathOfHandle`, `pathOfDescriptor` and `stat`. The caller closes it.
 *
 * Rejects if the path leaves the directory, if a component is a symbolic link, or does not exist.
 */
export async function openInside(base: string, path: string): Promise<FileHandle> {
  const components = componentsOf(path);
  let current = await openDirectory(base).catch((cause: Error) => {
    throw new Error(`cannot open directory ${base}: ${cause.message}`, { cause });
  });
  let name = base;
  try {
    for (const component of components) {
      name = join(name, component);
      const child = await openEntry(current, component).catch((cause: Error) => {
        throw new Error(`cannot open ${name}: ${cause.message}`, { cause });
      });
      await current.close();
      current = child;
      if ((await current.stat()).isSymbolicLink()) throw new Error(`unexpected symlink found ${name}`);
    }
    return current;
  } catch (error) {
    await current.close();
    throw error;
  }
}
