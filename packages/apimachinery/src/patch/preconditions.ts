import { isJsonObject, ownEntry } from '../json/index.ts';

/** Says of a patch whether it leaves alone what must not change. */
export type Precondition = (patch: unknown) => boolean;

/** Fails when the patch has the key, which means that its value would change. */
export const requireKeyUnchanged =
  (key: string): Precondition =>
  (patch) =>
    !isJsonObject(patch) || !Object.hasOwn(patch, key);

/** The same for a key of the patch's metadata. */
export function requireMetadataKeyUnchanged(key: string): Precondition {
  const unchanged = requireKeyUnchanged(key);
  return (patch) => !isJsonObject(patch) || unchanged(ownEntry(patch, 'metadata'));
}
