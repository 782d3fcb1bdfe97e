import { isJsonObject } from '../json/own-entry.ts';
import type { ObjectMeta } from '../meta/object-meta.ts';
import type { Status } from '../meta/status.ts';
import type { TypeMeta } from '../meta/type-meta.ts';

/**
 * One event of a watch:
 * - `ADDED`, `MODIFIED`: the current object
 * - `DELETED`: the object as it was just before the deletion
 * - `BOOKMARK`: only a resource version; the watcher has received everything up to it
 * - `ERROR`: a Status with the reason why the watch ends
 */
export type WatchEvent<T = unknown> =
  | ObjectEvent<T>
  | { type: 'BOOKMARK'; object: Bookmark }
  | { type: 'ERROR'; object: Status };

/** An event with an object of the watched kind. */
export interface ObjectEvent<T> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  object: T;
}

export type WatchEventType = WatchEvent['type'];

/** An object of the watched kind. Only its resource version is meaningful. */
export interface Bookmark extends TypeMeta {
  metadata: ObjectMeta & { resourceVersion: string };
}

const types: ReadonlySet<unknown> = new Set<WatchEventType>(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']);

/** Whether the value has the form of an event: a known type and an object that fits it. The object's kind is not checked. */
export function isWatchEvent(value: unknown): value is WatchEvent<Record<string, unknown>> {
  if (!isJsonObject(value) || !types.has(value.type) || !isJsonObject(value.object)) return false;
  if (value.type !== 'BOOKMARK') return true;
  const { metadata } = value.object;
  return isJsonObject(metadata) && typeof metadata.resourceVersion === 'string';
}

/** Whether the event has an object: it is neither a bookmark nor the error that ends the watch. */
export function isObjectEvent<T>(event: WatchEvent<T>): event is ObjectEvent<T> {
  return event.type === 'ADDED' || event.type === 'MODIFIED' || event.type === 'DELETED';
}
