import { type FSWatcher, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { type Clock, repeat, systemClock, type Timer } from '@coxswain/apimachinery/clock';

export interface FollowFilesOptions {
  /** Files that belong together, such as a certificate and its key. They are always read and reported together. */
  readonly files: readonly string[];
  /** The contents that were read last. */
  readonly initial: readonly string[];
  /**
   * Called with new contents. When it throws, the contents are reported again only after the next change, or at the next check when the
   * error is a TryAgain.
   */
  readonly onChange: (contents: readonly string[]) => Promise<void> | void;
  /** Called when a file cannot be read, and when `onChange` throws. */
  readonly onError: (error: unknown) => void;
  /** How often the files are read even without a change notification: not all file systems send them. Default one minute. */
  readonly intervalMs?: number;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/** Thrown by `onChange` when the same contents may be usable later. */
export class TryAgain extends Error {
  override readonly name = 'TryAgain';
}

export interface FollowedFiles {
  /** Stops following. No callback is called afterwards. */
  close(): void;
}

/**
 * New contents are reported once they have been stable for this long: writers truncate a file first, and editors write in several steps.
 */
const settleMs = 50;

/** Watches files until closed: reads them on each change notification, and every `intervalMs`. Does not keep the process alive. */
export function followFiles(options: FollowFilesOptions): FollowedFiles {
  const { files, intervalMs = 60_000, clock = systemClock } = options;
  const follower = new Follower(options);
  const timer = repeat(clock, () => follower.look(), intervalMs, { background: true });
  const watchers = [...new Set(files.map(dirname))].flatMap((directory) =>
    watchDirectory(
      directory,
      files.filter((file) => dirname(file) === directory).map((file) => basename(file)),
      () => follower.lookSoon(),
    ),
  );
  // The files may have changed since `initial` was read.
  follower.look();
  return {
    close: () => {
      timer.cancel();
      for (const watcher of watchers) watcher.close();
      follower.close();
    },
  };
}

/** Watches the directory instead of the files, so that replaced files are noticed, also when a volume's `..data` link is replaced. */
function watchDirectory(directory: string, names: readonly string[], onEvent: () => void): FSWatcher[] {
  try {
    const watcher = watch(directory, { persistent: false }, (_, name) => {
      if (name === null || name === '..data' || names.includes(name)) onEvent();
    });
    watcher.on('error', () => watcher.close());
    return [watcher];
  } catch {
    // Without notifications the files are still read every `intervalMs`.
    return [];
  }
}

class Follower {
  readonly #options: FollowFilesOptions;
  #last: readonly string[];
  /** Changed contents, and when they were first seen. */
  #found: { readonly contents: readonly string[]; readonly atMs: number } | undefined;
  #looking = false;
  #lookAgain = false;
  #closed = false;
  readonly #clock: Clock;
  #soon: Timer | undefined;

  constructor(options: FollowFilesOptions) {
    this.#options = options;
    this.#last = options.initial;
    this.#clock = options.clock ?? systemClock;
  }

  close(): void {
    this.#closed = true;
    this.#soon?.cancel();
  }

  lookSoon(): void {
    if (this.#closed || this.#soon) return;
    const look = (): void => {
      this.#soon = undefined;
      this.look();
    };
    this.#soon = this.#clock.setTimeout(look, settleMs, { background: true });
  }

  /** Starts reading the files unless a read is in progress; then another read follows it. */
  look(): void {
    if (this.#looking) {
      this.#lookAgain = true;
      return;
    }
    this.#looking = true;
    void this.#read().finally(() => {
      this.#looking = false;
      if (!this.#lookAgain) return;
      this.#lookAgain = false;
      this.lookSoon();
    });
  }

  /** Returns whether the contents are new and stable. New contents that are not stable yet are read again soon. */
  #isNew(contents: readonly string[]): boolean {
    if (areSame(contents, this.#last)) {
      this.#found = undefined;
      return false;
    }
    const now = this.#clock.monotonic();
    if (!this.#found || !areSame(contents, this.#found.contents)) this.#found = { contents, atMs: now };
    if (now - this.#found.atMs >= settleMs) {
      this.#found = undefined;
      return true;
    }
    this.lookSoon();
    return false;
  }

  async #read(): Promise<void> {
    const { files, onChange, onError } = this.#options;
    try {
      const contents = await Promise.all(files.map((file) => readFile(file, 'utf8')));
      if (this.#closed || !this.#isNew(contents)) return;
      const before = this.#last;
      this.#last = contents;
      try {
        await onChange(contents);
      } catch (error) {
        if (error instanceof TryAgain) this.#last = before;
        throw error;
      }
    } catch (error) {
      if (!this.#closed) onError(error);
    }
  }
}

const areSame = (contents: readonly string[], others: readonly string[]): boolean =>
  contents.every((content, index) => content === others[index]);
