import { compareStrings } from '../json/go-value.ts';
import { type FieldsOwner, type Managers, ownerIdentity, ownerSeconds } from './managers.ts';

/** How many owners by update an object keeps apart. */
export const defaultMaxUpdateManagers = 10;

/**
 * Merges the oldest owners by update, those of one version into one called `ancient-changes`, until there are no
 * more than `max`, or nothing is left to merge.
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
    // The later of the times: updaters come oldest first.
    capped.set(bucketIdentity, { ...bucket, set: owner.set.union(capped.get(bucketIdentity)!.set) });
    // Upstream loses a bucket here that is itself among those to merge; so must we, to own the same fields.
    capped.delete(identity);
    count--;
  }
  return capped;
}
