import assert from 'node:assert/strict';
import type { KeyValue, Store, WriteResult } from '../store.ts';
import { bytes, text } from './store-under-test.ts';

/** The revision of a write that must have succeeded. */
export function succeeded(result: WriteResult): number {
  assert.ok(result.ok, `the write failed: ${JSON.stringify(result)}`);
  return result.revision;
}

/** What a write that must have failed says is there. */
export function refused(result: WriteResult): KeyValue | undefined {
  assert.ok(!result.ok, 'the write succeeded');
  return result.current;
}

/** Writes what must succeed and gives its revision. */
export async function put(store: Store, key: string, value: string, expected = 0): Promise<number> {
  return succeeded(await store.put(key, bytes(value), { expected }));
}

/** Writes several new keys, each with itself as its value, and gives the last revision. */
export async function putAll(store: Store, keys: readonly string[]): Promise<number> {
  let revision = 0;
  for (const key of keys) revision = await put(store, key, key);
  return revision;
}

/** `"x"@7 created 5`, or `absent`. */
export function shown(entry: KeyValue | undefined): string {
  if (entry === undefined) return 'absent';
  return `${JSON.stringify(text(entry.value))}@${entry.modRevision} created ${entry.createRevision}`;
}

export async function current(store: Store, key: string): Promise<string> {
  return shown((await store.get(key)).entry);
}

export async function keysOf(store: Store, prefix: string, revision?: number): Promise<string[]> {
  return (await store.list(prefix, { revision })).entries.map(({ key }) => key);
}
