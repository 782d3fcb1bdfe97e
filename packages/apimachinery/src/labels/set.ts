import { ownEntry, setOwnEntry } from '../json/own-entry.ts';

/** A set of labels. */
export type Labels = Readonly<Record<string, string>>;

/** Formats labels as `a=b,c=d`, sorted. */
export function formatSet(labels: Labels | undefined): string {
  return Object.entries(labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(',');
}

/** Like `formatSet`, for display: `<none>` when there are no labels. */
export function formatLabels(labels: Labels | undefined): string {
  return formatSet(labels) || '<none>';
}

/** Whether both have a label with different values. */
export function conflicts(a: Labels, b: Labels): boolean {
  return Object.keys(a).some((key) => Object.hasOwn(b, key) && a[key] !== b[key]);
}

/** Returns a new set with the labels of both. The second wins. */
export function merge(a: Labels | undefined, b: Labels | undefined): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const [key, value] of Object.entries(a ?? {})) setOwnEntry(merged, key, value);
  for (const [key, value] of Object.entries(b ?? {})) setOwnEntry(merged, key, value);
  return merged;
}

export function equals(a: Labels, b: Labels): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => ownEntry(b, key) === a[key]);
}
