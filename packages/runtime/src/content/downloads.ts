import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { Download, type DownloadRequest } from './download.ts';

export interface DownloadsOptions {
  readonly clock?: Clock;
  /** Downloading stops when the file system has less than this available. */
  readonly reservedBytes: number;
  /** How long a part is kept of which nobody has wanted the rest. Default one day. */
  readonly keepPartsMs?: number;
}

/**
 * Blobs on their way: `downloads/<hex>` is the beginning of a blob, or all of it and not verified. A part that a failure or a crash left is
 * continued by the next download. The same blob is downloaded once at a time.
 */
export class Downloads {
  readonly #directory: string;
  readonly #clock: Clock;
  readonly #reservedBytes: number;
  readonly #running = new Map<string, Download>();

  private constructor(directory: string, clock: Clock, reservedBytes: number) {
    this.#directory = directory;
    this.#clock = clock;
    this.#reservedBytes = reservedBytes;
  }

  static async open(root: string, options: DownloadsOptions): Promise<Downloads> {
    const { clock = systemClock, reservedBytes, keepPartsMs = 86_400_000 } = options;
    const directory = join(root, 'downloads');
    await mkdir(directory, { recursive: true, mode: 0o700 });
    for (const name of await readdir(directory)) {
      const path = join(directory, name);
      const { mtimeMs } = await stat(path);
      if (mtimeMs < clock.now() - keepPartsMs || !/^[0-9a-f]{64}$/.test(name)) await rm(path, { recursive: true });
    }
    return new Downloads(directory, clock, reservedBytes);
  }

  /** Starts a download, or joins the one that runs. The caller must call `release` of what it gets. */
  start(request: DownloadRequest): Download {
    const { digest } = request;
    const known = this.#running.get(digest);
    if (known?.join()) return known;
    const download = new Download(request, {
      path: join(this.#directory, digest.slice('sha256:'.length)),
      clock: this.#clock,
      reservedBytes: this.#reservedBytes,
      newHash: () => createHash('sha256'),
      // One that is being cancelled still uses the file.
      before: known?.settled() ?? Promise.resolve(),
      onEnd: () => {
        if (this.#running.get(digest) === download) this.#running.delete(digest);
      },
    });
    this.#running.set(digest, download);
    return download;
  }
}
