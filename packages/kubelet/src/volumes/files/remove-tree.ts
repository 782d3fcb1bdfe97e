import type { Dirent } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { mountIdOf, openEntry, pathOf } from './descriptors.ts';
import { type FileSystem, hasCode, unlessMissing } from './file-system.ts';

/** A deeper directory is moved to the top first: each level costs an open descriptor, and a container can make any number of levels. */
const maxDepth = 64;

/**
 * Removes a directory with all that is in it, or a file. Does nothing if there is none.
 *
 * It never follows symbolic links, even those that replace a directory meanwhile, and never enters a mount: it rejects with what is
 * mounted, after it has removed the rest.
 */
export async function removeTree(path: string, files: FileSystem): Promise<void> {
  const handle = await unlessMissing(openEntry(files, path));
  if (!handle) return;
  let isDirectory: boolean;
  try {
    isDirectory = (await handle.stat()).isDirectory();
    if (isDirectory) await new TreeRemoval(handle, files).run(path);
  } finally {
    await handle.close();
  }
  await removeEntry(path, isDirectory, files);
}

class TreeRemoval {
  readonly #root: FileHandle;
  readonly #files: FileSystem;
  #moved = 0;

  constructor(root: FileHandle, files: FileSystem) {
    this.#root = root;
    this.#files = files;
  }

  async run(path: string): Promise<void> {
    await this.#removeContents(this.#root, path, 0);
  }

  async #removeContents(directory: FileHandle, shownPath: string, depth: number): Promise<void> {
    const mountId = await mountIdOf(this.#files, directory);
    // A listing need not have what is added while it is read, such as directories that were moved here.
    for (let isEmpty = false; !isEmpty; ) {
      isEmpty = true;
      let firstError: unknown;
      for await (const entry of await this.#files.opendir(pathOf(directory))) {
        isEmpty = false;
        try {
          await this.#removeChild(directory, entry, { mountId, shownPath: `${shownPath}/${entry.name}`, depth });
        } catch (error) {
          firstError ??= error;
        }
      }
      if (firstError !== undefined) throw firstError;
    }
  }

  async #removeChild(parent: FileHandle, entry: Dirent, { mountId, shownPath, depth }: ChildContext): Promise<void> {
    const path = pathOf(parent, entry.name);
    // Removing a file that is a mount point fails, so only directories need care.
    if (!entry.isDirectory()) return await removeEntry(path, false, this.#files);
    const handle = await unlessMissing(openEntry(this.#files, path));
    if (!handle) return;
    let isDirectory: boolean;
    try {
      if ((await mountIdOf(this.#files, handle)) !== mountId) {
        throw new Error(`cannot delete directory ${shownPath}: it is a mount point`);
      }
      isDirectory = (await handle.stat()).isDirectory();
      if (isDirectory && depth >= maxDepth) return await this.#moveToTop(path);
      if (isDirectory) await this.#removeContents(handle, shownPath, depth + 1);
    } finally {
      await handle.close();
    }
    await removeEntry(path, isDirectory, this.#files);
  }

  async #moveToTop(path: string): Promise<void> {
    for (;;) {
      try {
        return await this.#files.rename(path, pathOf(this.#root, `..deep-${this.#moved++}`));
      } catch (error) {
        // A container may have used the name.
        if (!hasCode(error, 'EEXIST', 'ENOTEMPTY', 'ENOTDIR')) throw error;
      }
    }
  }
}

interface ChildContext {
  readonly mountId: string;
  /** For messages. */
  readonly shownPath: string;
  readonly depth: number;
}

async function removeEntry(path: string, isDirectory: boolean, files: FileSystem): Promise<void> {
  try {
    await (isDirectory ? files.rmdir(path) : files.unlink(path));
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}
