import type { Payload } from '../files/payload.ts';
import type { ObjectReference } from './config-map.ts';

interface KeyPayloadOptions {
  readonly defaultMode: number | undefined;
  /** What is wrong if an entry with this key is missing. */
  missing(key: string): string;
}

/** Makes files of the entries of an object. Throws if an entry is missing, unless the reference is optional. */
export function keyPayload(
  entries: ReadonlyMap<string, Buffer>,
  { items, optional }: ObjectReference,
  { defaultMode, missing }: KeyPayloadOptions,
): Payload {
  const payload: Payload = new Map();
  if (!items?.length) {
    for (const [key, data] of entries) payload.set(key, { data, mode: modeOf(undefined, defaultMode) });
    return payload;
  }
  for (const { key, path, mode } of items) {
    const data = entries.get(key);
    if (data) payload.set(path, { data, mode: modeOf(mode, defaultMode) });
    else if (!optional) throw new Error(missing(key));
  }
  return payload;
}

/** Throws if there is neither: the API server sets a default. */
export function modeOf(mode: number | null | undefined, defaultMode: number | undefined): number {
  const set = mode ?? defaultMode;
  if (set === undefined) throw new Error('no defaultMode used, not even the default value for it');
  return set;
}
