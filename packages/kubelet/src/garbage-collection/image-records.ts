import type { Container, Image, Mount } from '@coxswain/cri';

/** What is remembered of an image between two looks at the images. */
export interface ImageRecord {
  readonly id: string;
  readonly sizeBytes: number;
  readonly isPinned: boolean;
  /** The runtime handler for which the image was pulled. */
  readonly runtimeHandler: string;
  readonly firstDetectedMs: number;
  /** Undefined if no container used it in all looks at the images. */
  readonly lastUsedMs: number | undefined;
}

/** The images of a node: since when they are there, and when they were last used. There is one record for each image of the last look. */
export class ImageRecords {
  #records = new Map<string, ImageRecord>();

  /**
   * Returns the images that may be removed, those first that were not used for the longest time. `namesInUse` may have ids, tags and
   * digests of images.
   */
  update(images: readonly Image[], namesInUse: ReadonlySet<string>, nowMs: number): ImageRecord[] {
    const before = this.#records;
    const inUse = new Set(images.filter((image) => hasName(image, namesInUse)).map(({ id }) => id));
    this.#records = new Map(
      images.map(({ id, size, pinned, spec }) => {
        const known = before.get(id);
        const record = {
          id,
          sizeBytes: size,
          isPinned: pinned,
          runtimeHandler: known?.runtimeHandler ?? spec?.runtimeHandler ?? '',
          firstDetectedMs: known?.firstDetectedMs ?? nowMs,
          lastUsedMs: inUse.has(id) ? nowMs : known?.lastUsedMs,
        };
        return [id, record];
      }),
    );
    return [...this.#records.values()].filter(({ id, isPinned }) => !isPinned && !inUse.has(id)).sort(byLastUse);
  }

  forget(id: string): void {
    this.#records.delete(id);
  }
}

function byLastUse(a: ImageRecord, b: ImageRecord): number {
  return (a.lastUsedMs ?? 0) - (b.lastUsedMs ?? 0) || a.firstDetectedMs - b.firstDetectedMs;
}

const hasName = ({ id, repoTags, repoDigests }: Image, names: ReadonlySet<string>): boolean =>
  names.has(id) || repoTags.some((tag) => names.has(tag)) || repoDigests.some((digest) => names.has(digest));

/** Returns the names of images that containers were made of or mount, running or not. `mounts` are those of all containers. */
export function imagesInUse(containers: readonly Container[], mounts: readonly Mount[]): Set<string> {
  const inUse = new Set<string>();
  // Older runtimes tell no imageId, and the id as imageRef.
  for (const { imageId, imageRef } of containers) inUse.add(imageId || imageRef);
  for (const { image } of mounts) if (image) inUse.add(image.image);
  return inUse;
}
