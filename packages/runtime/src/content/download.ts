import type { Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { onAbort } from '@coxswain/apimachinery/abort';
import { type Clock, sleep } from '@coxswain/apimachinery/clock';

/** Returns the bytes of a blob from a position on, or all of them. */
type BlobSource = (
  offset: number,
  signal: AbortSignal,
) => Promise<{ readonly offset: number; readonly body: Readable }>;

export interface DownloadRequest {
  readonly digest: string;
  readonly size: number;
  readonly source: BlobSource;
  /** Whether another try may help after this error of the source. */
  isTransient(error: unknown): boolean;
}

export interface DownloadContext {
  readonly path: string;
  readonly clock: Clock;
  readonly reservedBytes: number;
  newHash(): Hash;
  readonly before: Promise<void>;
  onEnd(): void;
}

/** A blob that has another content than its digest says. */
class DigestError extends Error {}

const readSize = 256 * 1024;
/** Fewer, larger writes: TLS delivers 16 KiB at a time. */
const writeSize = 128 * 1024;
const maxFailures = 5;
const firstDelayMs = 200;
const spaceCheckBytes = 64 * 2 ** 20;

/** A blob that is downloaded into a file. It is cancelled when nobody uses it any more; the part is then left for the next download. */
export class Download {
  readonly #request: DownloadRequest;
  readonly #context: DownloadContext;
  readonly #stop = new AbortController();
  readonly #result: Promise<void>;
  readonly #watchers = new Set<() => void>();
  #users = 1;
  /** Bytes from the beginning of the file that belong to the blob. */
  #position = 0;
  #nextSpaceCheck = 0;
  #isVerified = false;
  /** How often the bytes began anew, so that others may come than before. */
  #restarts = 0;

  constructor(request: DownloadRequest, context: DownloadContext) {
    this.#request = request;
    this.#context = context;
    this.#result = this.#run();
    this.#result.catch(() => {});
  }

  /** Bytes that have arrived. */
  get position(): number {
    return this.#position;
  }

  get path(): string {
    return this.#context.path;
  }

  /** Adds a user. False if it has been cancelled, so that another download must be started. */
  join(): boolean {
    if (this.#users === 0) return false;
    this.#users++;
    return true;
  }

  /** Calls `callback` whenever bytes have arrived. Returns a function that ends it. */
  watch(callback: () => void): () => void {
    this.#watchers.add(callback);
    return () => this.#watchers.delete(callback);
  }

  /** Ends the use. The last one removes the file of a whole blob. */
  async release(): Promise<void> {
    this.#users--;
    if (this.#users > 0) return;
    this.#stop.abort(new Error('nobody wants the blob any more'));
    await this.settled();
    if (this.#isVerified) await rm(this.path, { force: true });
    this.#context.onEnd();
  }

  /** Resolves when it is over, whether it succeeded or not. */
  async settled(): Promise<void> {
    await this.#result.catch(() => {});
  }

  /** Waits until all bytes have been verified. Resolves to whether `follow` may have given others before. Rejects if the download fails. */
  async verified(signal: AbortSignal): Promise<boolean> {
    while (!this.#isVerified) await this.#untilChange(signal);
    return this.#restarts > 0;
  }

  /** The bytes as they arrive. It ends only after all of them have been verified, and rejects if the download fails. */
  async *follow(signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    let file: FileHandle | undefined;
    try {
      for (let at = 0; ; ) {
        if (at < this.#position) {
          file ??= await this.#openToRead();
          const buffer = Buffer.allocUnsafe(Math.min(readSize, this.#position - at));
          const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
          at += bytesRead;
          if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
        } else if (this.#isVerified) {
          return;
        } else {
          await this.#untilChange(signal);
        }
      }
    } finally {
      await file?.close();
    }
  }

  async #openToRead(): Promise<FileHandle> {
    try {
      return await open(this.path, 'r');
    } catch (error) {
      // A failed download may have removed its file, and says why.
      await this.#result;
      throw error;
    }
  }

  #untilChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const end = (): void => {
        unwatch();
        unlink();
      };
      const unwatch = this.watch(() => {
        end();
        resolve();
      });
      const unlink = onAbort(signal, () => {
        end();
        reject(signal.reason);
      });
      this.#result.catch((error) => {
        end();
        reject(error);
      });
    });
  }

  #changed(): void {
    for (const callback of [...this.#watchers]) callback();
  }

  async #run(): Promise<void> {
    const { before, path } = this.#context;
    await before;
    const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      const isOld = await this.#receive(file, true).then(
        () => false,
        (error) => {
          if (!(error instanceof DigestError) || !error.message.startsWith(continued)) throw error;
          return true;
        },
      );
      // The part that was left may be damaged: a power failure can do that.
      if (isOld) {
        this.#restarts++;
        await this.#receive(file, false);
      }
    } catch (error) {
      if (error instanceof DigestError) await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    this.#isVerified = true;
    this.#changed();
  }

  /** Downloads and verifies, from the part that is there on or from the beginning. */
  async #receive(file: FileHandle, useOldPart: boolean): Promise<void> {
    const { digest, size, source, isTransient } = this.#request;
    const { clock, newHash } = this.#context;
    const { signal } = this.#stop;
    let hash = newHash();
    this.#position = 0;
    const oldPart = useOldPart ? await this.#readOldPart(file, hash) : 0;
    let restarted = oldPart === 0;
    for (let failures = 0; this.#position < size; ) {
      const start = this.#position;
      try {
        const { offset, body } = await source(start, signal);
        if (offset !== start) {
          hash = newHash();
          this.#position = 0;
          this.#restarts++;
          restarted = true;
        }
        await this.#append(file, hash, body);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof DigestError || !(isTransient(error) || isStreamError(error))) throw error;
        failures = this.#position > start ? 1 : failures + 1;
        if (failures >= maxFailures) throw error;
        await sleep(clock, firstDelayMs * 2 ** (failures - 1), signal);
      }
    }
    const found = `sha256:${hash.digest('hex')}`;
    if (found === digest) return;
    throw new DigestError(`${restarted ? '' : continued}unexpected digest ${found} of a blob, expected ${digest}`);
  }

  async #readOldPart(file: FileHandle, hash: Hash): Promise<number> {
    const { size } = await file.stat();
    if (size > this.#request.size) return 0;
    const buffer = Buffer.allocUnsafe(readSize);
    for (let at = 0; at < size; ) {
      this.#stop.signal.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, Math.min(readSize, size - at), at);
      if (bytesRead === 0) break;
      hash.update(buffer.subarray(0, bytesRead));
      at += bytesRead;
      this.#position = at;
      this.#changed();
    }
    return size;
  }

  async #append(file: FileHandle, hash: Hash, body: Readable): Promise<void> {
    let parts: Buffer[] = [];
    let waiting = 0;
    const write = async (): Promise<void> => {
      const { length } = await writeAll(file, parts, this.#position);
      for (const part of parts) hash.update(part);
      this.#position += length;
      parts = [];
      waiting = 0;
      this.#changed();
      if (this.#position >= this.#nextSpaceCheck) await this.#checkSpace();
    };
    try {
      for await (const part of body) {
        parts.push(part);
        waiting += part.length;
        if (this.#position + waiting > this.#request.size) {
          throw new DigestError(`the blob ${this.#request.digest} is larger than ${this.#request.size} bytes`);
        }
        if (waiting >= writeSize) await write();
      }
    } finally {
      // What has arrived before a connection was cut is kept.
      if (waiting > 0 && this.#position + waiting <= this.#request.size) await write();
      body.destroy();
    }
    if (this.#position < this.#request.size) throw new Error('unexpected EOF');
  }

  async #checkSpace(): Promise<void> {
    this.#nextSpaceCheck = this.#position + spaceCheckBytes;
    const { bavail, bsize } = await statfs(dirname(this.path));
    if (bavail * bsize < this.#context.reservedBytes) {
      throw new DigestError(`no space left on device: ${dirname(this.path)}`);
    }
  }
}

const continued = 'after an interrupted download: ';

/** Of a connection that was cut in the middle of a body. */
const isStreamError = (error: unknown): boolean =>
  error instanceof Error &&
  (error.message === 'unexpected EOF' ||
    error.message === 'aborted' ||
    error.message === 'i/o timeout' ||
    ('code' in error &&
      (error.code === 'ECONNRESET' || error.code === 'EPIPE' || error.code === 'ERR_STREAM_PREMATURE_CLOSE')));

async function writeAll(
  file: FileHandle,
  parts: readonly Buffer[],
  position: number,
): Promise<{ readonly length: number }> {
  const all = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  for (let at = 0; at < all.length; ) {
    const { bytesWritten } = await file.write(all, at, all.length - at, position + at);
    at += bytesWritten;
  }
  return all;
}
