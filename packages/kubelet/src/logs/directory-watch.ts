import { type FSWatcher, watch } from 'node:fs';
import { type Clock, childSignal, sleep } from '@coxswain/client';

/** Tells when something in a directory may have changed. */
export class DirectoryWatch {
  readonly #clock: Clock;
  /** Undefined if the directory can't be watched, for example because the system has no more watches. */
  readonly #watcher: FSWatcher | undefined;
  #hasChanged = false;
  /** Ends the wait, if there is one. */
  #wake = (): void => {};

  constructor(directory: string, clock: Clock) {
    this.#clock = clock;
    try {
      this.#watcher = watch(directory, () => this.#onChange());
      this.#watcher.on('error', () => this.close());
    } catch {
      // The timeout of each wait remains.
    }
  }

  /** Resolves when something has changed since the last call, but no later than the timeout or the abortion of the signal. */
  async changed(timeoutMs: number, parent: AbortSignal | undefined): Promise<void> {
    if (!this.#hasChanged) {
      const { signal, abort, dispose } = childSignal({ parent });
      this.#wake = abort;
      await sleep(this.#clock, timeoutMs, signal).catch(() => {});
      dispose();
    }
    this.#hasChanged = false;
  }

  close(): void {
    this.#watcher?.close();
  }

  #onChange(): void {
    this.#hasChanged = true;
    this.#wake();
  }
}
