import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomically } from '../content/index.ts';
import type { ImageRecord } from './image-record.ts';
import { isObject } from './json-fields.ts';

const version = 1;

/** The images of this node by their ids: the file `images.json`, which is replaced as a whole, so that a tag moves from one image to another at once. */
export class ImageRecords {
  readonly #path: string;
  #images: ReadonlyMap<string, ImageRecord>;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(path: string, images: ReadonlyMap<string, ImageRecord>) {
    this.#path = path;
    this.#images = images;
  }

  /** Rejects if the file cannot be read, or was written by a later version. */
  static async open(root: string): Promise<ImageRecords> {
    const path = join(root, 'images.json');
    // Of a change that a crash has interrupted.
    await rm(`${path}.new`, { force: true });
    const text = await readFile(path, 'utf8').catch((error) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (text === undefined) return new ImageRecords(path, new Map());
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || value.version !== version || !Array.isArray(value.images)) {
      throw new Error(`${path} has an unknown format`);
    }
    const images: readonly ImageRecord[] = value.images;
    return new ImageRecords(path, new Map(images.map((image) => [image.id, image])));
  }

  get images(): ReadonlyMap<string, ImageRecord> {
    return this.#images;
  }

  /** Runs work that must see no change by others, and may return the images as they are from now on. They count when they are on disk. */
  async change<T>(
    work: (
      images: ReadonlyMap<string, ImageRecord>,
    ) => Promise<{ readonly images?: ReadonlyMap<string, ImageRecord>; readonly result: T }>,
  ): Promise<T> {
    const turn = this.#last.then(async () => {
      const { images, result } = await work(this.#images);
      if (images) {
        await writeFileAtomically(
          this.#path,
          `${JSON.stringify({ version, images: [...images.values()] }, undefined, 2)}\n`,
        );
        this.#images = images;
      }
      return result;
    });
    this.#last = turn.catch(() => {});
    return await turn;
  }
}
