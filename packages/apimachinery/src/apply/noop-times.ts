import { jsonEquals } from '../json/index.ts';
import type { KubernetesObject, ManagedFieldsEntry } from '../meta/index.ts';

/**
 * Returns the new object with the old times in managedFields when it differs only in those times, so that such a write counts as no
 * change.
 */
export function keepTimesOfNoop<T extends KubernetesObject>(next: T, old: KubernetesObject): T {
  const entries = next.metadata?.managedFields ?? [];
  const oldEntries = old.metadata?.managedFields ?? [];
  if (entries.length === 0 || entries.length !== oldEntries.length) return next;
  if (entries.every((entry, i) => entry.time === oldEntries[i]?.time)) return next;
  if (!jsonEquals(entries.map(withoutTime), oldEntries.map(withoutTime))) return next;
  const kept = { ...next, metadata: { ...next.metadata, managedFields: oldEntries } };
  return jsonEquals(kept, old) ? kept : next;
}

const withoutTime = ({ time: _, ...entry }: ManagedFieldsEntry): ManagedFieldsEntry => entry;
