import { type FSWatcher, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { type Clock, repeat, systemClock, type Timer } from '@coxswain/apimachinery/clock';

export interface FollowFilesOptions {
  /** Read together: they are of use only together, as a certificate and its key. */
  readonly files: readonly string[];
  /** What was in them when they were read last. */
  readonly initial: readonly string[];
  /**
   * Takes what is new in them. Throws when it cannot be used; it is not tried again before it changes, unless the error
   * is a TryAgain.
   */
  readonly onChange: (contents: readonly string[]) => Promise<void> | void;
  /** Hears of files that cannot be read, and of what cannot be used. */
  readonly onError: (error: unknown) => void;
  /** Files on file systems that tell of no changes are read so often. */
  readonly intervalMs?: number;
  /** The machine's by default. */
  readonly clock?: Clock;
}

/** What is new may be of use later. */
export class TryAgain extends Error {
  override readonly name = 'TryAgain';
}

export interface FollowedFiles {
  /** Ends it; nothing is called any more. */
  close(): void;
}

/** Whoever writes a file empties it first, and editors write in steps: what is new counts when it has been the same for so long. */
const settleMs = 50;

/** Follows files until it is closed: whenever one of them changes, and every minute. Does not keep the process alive. */
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
  // Something may have changed since they were read.
  follower.look();
  return {
    close: () => {
      timer.cancel();
      for (const watcher of watchers) watcher.close();
      follower.close();
    },
  };
}

/** Of the directory, so that files that are replaced, also by way of a volume's `..data`, are noticed. */
function watchDirectory(directory: string, names: readonly string[], onEvent: () => void): FSWatcher[] {
  try {
    const watcher = watch(directory, { persistent: false }, (_, name) => {
      if (name === null || name === '..data' || names.includes(name)) onEvent();
    });
    watcher.on('error', () => watcher.close());
    return [watcher];
  } catch {
    // They are still read from time to time.
    return [];
  }
}

class Follower {
  readonly #options: FollowFilesOptions;
  #last: readonly string[];
  /** What was found instead, and when for the first time. */
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

  /** Never two at a time. */
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

  /** Whether that is something new which has settled; if it has yet to, there is another look at it. */
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
