import { type FSWatcher, watch } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** How a container has ended. */
export interface ContainerExit {
  readonly id: string;
  readonly exitCode: number;
  /** Nanoseconds since 1970. */
  readonly finishedAt: bigint;
}

/** The directory where monitors write how containers have ended, also while nobody looks. */
export class ExitFiles {
  readonly #directory: string;
  #watcher: FSWatcher | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Calls back for each container that ends from now on, maybe more than once. Without watches, of which the kernel gives a user only so
   * many, the caller has to look by itself.
   */
  watch(onExit: (exit: ContainerExit) => void, onError: (error: unknown) => void): void {
    try {
      this.#watcher = watch(this.#directory, (_, name) => {
        if (name === null || name.startsWith('.')) return;
        this.read(name).then((exit) => exit && onExit(exit), onError);
      });
      this.#watcher.on('error', onError);
    } catch (error) {
      onError(error);
    }
  }

  close(): void {
    this.#watcher?.close();
  }

  pathOf(id: string): string {
    return join(this.#directory, id);
  }

  /** Ids of all containers that have ended and are not forgotten. */
  async list(): Promise<string[]> {
    return (await readdir(this.#directory)).filter((name) => !name.startsWith('.'));
  }

  /** Undefined if the container has not ended, or its monitor was killed before. */
  async read(id: string): Promise<ContainerExit | undefined> {
    const path = this.pathOf(id);
    const text = await readFile(path, 'utf8').catch(() => '');
    if (!/^-?\d+$/.test(text)) return undefined;
    const { mtimeNs } = await stat(path, { bigint: true });
    return { id, exitCode: Number(text), finishedAt: mtimeNs };
  }
}
