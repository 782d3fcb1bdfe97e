import { isJsonObject, ownEntry } from '../json/index.ts';

/** Returns whether a patch leaves a protected value unchanged. */
export type Precondition = (patch: unknown) => boolean;

/** Returns a precondition that fails when the patch has the key, which means that its value would change. */
export const requireKeyUnchanged =
  (key: string): Precondition =>
  (patch) =>
    !isJsonObject(patch) || !Object.hasOwn(patch, key);

/** Like `requireKeyUnchanged`, for a key of the patch's metadata. */
export function requireMetadataKeyUnchanged(key: string): Precondition {
  const unchanged = requireKeyUnchanged(key);
  return (patch) => !isJsonObject(patch) || unchanged(ownEntry(patch, 'metadata'));
}
