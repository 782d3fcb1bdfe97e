import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Logger } from '@coxswain/apimachinery/log';
import { makeDirectory } from '@coxswain/client/files';

export interface RotatingFileOptions {
  readonly path: string;
  /** The file is rotated before it would exceed this size. 0: never. */
  readonly maxBytes: number;
  /** Maximum number of rotated files, and their maximum age. 0: no limit. */
  readonly maxBackups: number;
  readonly maxAgeDays: number;
  /** Compress rotated files with gzip. */
  readonly compress: boolean;
  readonly now: () => Date;
  /** Receives failures to remove or compress rotated files. Writing continues after them. */
  readonly logger: Logger;
}

const day = 24 * 3600 * 1000;

/**
 * A log file that lines are appended to. When it is full it is renamed like upstream's, for example
 * `audit-2006-01-02T15-04-05.000.log`, and a new file is started. The files have mode 0600.
 */
export class RotatingFile {
  readonly #options: RotatingFileOptions;
  #file: FileHandle;
  #size: number;
  /** The removal and compression of rotated files, one run after the other. Never rejects. */
  #tidying: Promise<void> = Promise.resolve();

  private constructor(options: RotatingFileOptions, file: FileHandle, size: number) {
    this.#options = options;
    this.#file = file;
    this.#size = size;
  }

  /** Opens the file for appending. Creates it and its directory when they do not exist. */
  static async open(options: RotatingFileOptions): Promise<RotatingFile> {
    await makeDirectory(dirname(options.path), 0o700);
    const file = await open(options.path, 'a', 0o600);
    const { size } = await file.stat();
    return new RotatingFile(options, file, size);
  }

  /** Appends whole lines. Must not be called before the previous call has settled. */
  async append(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    const { maxBytes } = this.#options;
    if (maxBytes > 0 && this.#size > 0 && this.#size + bytes.length > maxBytes) await this.#rotate();
    await this.#file.appendFile(bytes);
    this.#size += bytes.length;
  }

  async close(): Promise<void> {
    await this.#file.close();
    await this.#tidying;
  }

  async #rotate(): Promise<void> {
    const { path, now } = this.#options;
    let time = now();
    // Two rotations within one millisecond must not share a name.
    while (await exists(this.#backupName(time))) time = new Date(time.getTime() + 1);
    await rename(path, this.#backupName(time));
    const next = await open(path, 'a', 0o600);
    await this.#file.close();
    this.#file = next;
    this.#size = 0;
    this.#tidying = this.#tidying.then(() =>
      this.#tidy().catch((error: unknown) =>
        this.#options.logger.error('Failed to remove or compress old log files', error, { path }),
      ),
    );
  }

  #backupName(time: Date): string {
    const { path } = this.#options;
    const extension = extname(path);
    const stamp = time.toISOString().slice(0, -1).replaceAll(':', '-');
    return join(dirname(path), `${basename(path, extension)}-${stamp}${extension}`);
  }

  async #tidy(): Promise<void> {
    const { path, maxBackups, maxAgeDays, compress, now } = this.#options;
    const directory = dirname(path);
    const extension = extname(path);
    const prefix = `${basename(path, extension)}-`;
    const oldest = now().getTime() - maxAgeDays * day;
    const backups = (await readdir(directory)).flatMap((name) => {
      const plain = name.replace(/\.gz$/, '');
      if (!plain.startsWith(prefix) || !plain.endsWith(extension)) return [];
      const time = timeOf(plain.slice(prefix.length, plain.length - extension.length));
      return time === undefined ? [] : [{ name, time }];
    });
    backups.sort((a, b) => b.time - a.time);
    for (const [index, { name, time }] of backups.entries()) {
      const file = join(directory, name);
      if ((maxBackups > 0 && index >= maxBackups) || (maxAgeDays > 0 && time < oldest)) await rm(file, { force: true });
      else if (compress && !name.endsWith('.gz')) await compressFile(file);
    }
  }
}

/** Parses `2006-01-02T15-04-05.000` to milliseconds since the epoch; undefined for other text. */
function timeOf(stamp: string): number | undefined {
  const match = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3})$/.exec(stamp);
  const time = match ? Date.parse(`${match[1]}:${match[2]}:${match[3]}Z`) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

async function compressFile(file: string): Promise<void> {
  await pipeline(createReadStream(file), createGzip(), createWriteStream(`${file}.gz`, { mode: 0o600 }));
  await rm(file);
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch {
    return false;
  }
}
