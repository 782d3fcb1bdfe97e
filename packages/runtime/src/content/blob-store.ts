import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomically } from './write-file-atomically.ts';

const hexOf = (digest: string): string => digest.slice('sha256:'.length);
const name = /^[0-9a-f]{64}$/;

/** Manifests, indexes and configurations: `blobs/sha256/<hex>`. A file that is there is whole. */
export class BlobStore {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async open(root: string): Promise<BlobStore> {
    const directory = join(root, 'blobs', 'sha256');
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return new BlobStore(directory);
  }

  #pathOf(digest: string): string {
    return join(this.#directory, hexOf(digest));
  }

  /** Reads a small blob. Undefined if it is not there, or not what its name says any more. */
  async read(digest: string): Promise<Buffer | undefined> {
    const content = await readFile(this.#pathOf(digest)).catch(() => undefined);
    return content && createHash('sha256').update(content).digest('hex') === hexOf(digest) ? content : undefined;
  }

  /** Stores a small blob whose digest the caller has computed. */
  async write(digest: string, content: Buffer): Promise<void> {
    if ((await this.read(digest)) === undefined) await writeFileAtomically(this.#pathOf(digest), content);
  }

  /** Removes all blobs that are not among these, and unfinished ones. The caller sees to it that no blob is written meanwhile. */
  async keepOnly(digests: ReadonlySet<string>): Promise<void> {
    for (const file of await readdir(this.#directory)) {
      if (!name.test(file) || !digests.has(`sha256:${file}`)) await rm(join(this.#directory, file), { force: true });
    }
  }
}
