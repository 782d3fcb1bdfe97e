import { jsonEquals } from '../json/index.ts';
import type { KubernetesObject, ManagedFieldsEntry } from '../meta/index.ts';

/**
 * The new object with the old one's times in managedFields when nothing but those times differs, so that a write
 * that changes nothing is seen to change nothing.
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
