import type { KeyValue, StoreEvent } from '../store.ts';
import { deleteEvent, type WireEvent, type WireKeyValue } from './messages.ts';

/**
 * With `own` the value is copied, so that it does not keep the whole message in memory: the messages of lists and
 * watches have many values each.
 */
export function toKeyValue(kv: WireKeyValue, own: boolean): KeyValue {
  const value = kv.value ?? new Uint8Array();
  return {
    key: kv.key ?? '',
    value: own ? Buffer.from(value) : value,
    createRevision: kv.createRevision ?? 0,
    modRevision: kv.modRevision ?? 0,
  };
}

export function toStoreEvent({ type, kv = {}, prevKv }: WireEvent): StoreEvent {
  const entry = toKeyValue(kv, true);
  const previous = prevKv && toKeyValue(prevKv, true);
  const { key, modRevision: revision } = entry;
  return type === deleteEvent
    ? { type: 'delete', key, previous, revision }
    : { type: 'put', key, entry, previous, revision };
}
