import { compareStrings } from '../json/go-value.ts';
import { type FieldsOwner, type Managers, ownerIdentity, ownerSeconds } from './managers.ts';

/** The default maximum of Update entries in managedFields; more are merged. */
export const defaultMaxUpdateManagers = 10;

/**
 * Merges the oldest Update entries of each version into an entry of the manager `ancient-changes`, until at most `max` Update entries are
 * left or none can be merged.
 */
export function capUpdateManagers(managers: Managers, max = defaultMaxUpdateManagers): Managers {
  if (managers.size <= max) return managers;
  const updaters = [...managers].filter(([, owner]) => owner.operation === 'Update');
  if (updaters.length <= max) return managers;
  updaters.sort(([a, x], [b, y]) => ownerSeconds(x) - ownerSeconds(y) || compareStrings(a, b));

  const capped = new Map(managers);
  const oldest = new Map<string, string>();
  let count = updaters.length;
  for (const [identity, owner] of updaters) {
    if (count <= max) break;
    const first = oldest.get(owner.apiVersion);
    if (first === undefined) {
      oldest.set(owner.apiVersion, identity);
      continue;
    }
    const bucket: FieldsOwner = { ...owner, manager: 'ancient-changes', subresource: '' };
    const bucketIdentity = ownerIdentity(bucket);
    if (!capped.has(bucketIdentity)) {
      capped.set(bucketIdentity, capped.get(first)!);
      capped.delete(first);
    }
    // The merged entry gets the later of the two times, which is this one's: updaters are sorted oldest first.
    capped.set(bucketIdentity, { ...bucket, set: owner.set.union(capped.get(bucketIdentity)!.set) });
    // When this owner is the bucket itself, this deletes the bucket. Upstream does so too; the owned fields must be the same.
    capped.delete(identity);
    count--;
  }
  return capped;
}
