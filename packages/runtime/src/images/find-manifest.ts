import { ImageError } from './image-error.ts';
import type { ImageLimits } from './image-limits.ts';
import { entriesFor, type ImageManifest, isIndex, parseManifest } from './image-manifest.ts';
import type { ImageDocument, ImageSource } from './image-source.ts';
import type { Platform } from './platform.ts';

export interface FoundManifest {
  readonly manifest: ImageManifest;
  /** The indexes that led to it, and the manifest itself as the last. */
  readonly documents: readonly ImageDocument[];
}

/** So many manifests are looked at for one image. */
const maxManifests = 32;

/**
 * Returns the manifest for a machine: that with the digest, or the best in an index. Rejects with `ImageError` if there is none, or if indexes
 * lead to each other.
 */
export async function findManifest(
  source: ImageSource,
  digest: string,
  options: { readonly machine: Platform; readonly limits: ImageLimits; readonly signal?: AbortSignal | undefined },
): Promise<FoundManifest> {
  const { machine, limits, signal } = options;
  let seen = 0;
  const find = async (from: string, above: readonly ImageDocument[]): Promise<FoundManifest | undefined> => {
    if (above.some((document) => document.digest === from)) throw new ImageError(`the index ${from} contains itself`);
    if (++seen > maxManifests) throw new ImageError('the index leads to too many manifests');
    const document = await source.manifest(from, signal);
    const parsed = parseManifest(document.content, document.mediaType);
    const documents = [...above, document];
    if (!isIndex(parsed)) return { manifest: parsed, documents };
    if (documents.length > limits.indexDepth)
      throw new ImageError(`more than ${limits.indexDepth} indexes in each other`);
    for (const entry of entriesFor(parsed, machine)) {
      const found = await find(entry.digest, documents);
      if (found) return found;
    }
    return undefined;
  };
  const found = await find(digest, []);
  if (!found) throw new ImageError('no match for platform in manifest: not found', { isNotFound: true });
  return found;
}
