import assert from 'node:assert/strict';
import type { KeyValue, Store, WriteResult } from '../store.ts';
import { bytes, text } from './store-under-test.ts';

/** Asserts that the write succeeded and returns its revision. */
export function succeeded(result: WriteResult): number {
  assert.ok(result.ok, `the write failed: ${JSON.stringify(result)}`);
  return result.revision;
}

/** Asserts that the write failed and returns the key's current entry. */
export function refused(result: WriteResult): KeyValue | undefined {
  assert.ok(!result.ok, 'the write succeeded');
  return result.current;
}

/** Puts a value, asserts success, and returns the revision. */
export async function put(store: Store, key: string, value: string, expected = 0): Promise<number> {
  return succeeded(await store.put(key, bytes(value), { expected }));
}

/** Puts several new keys, each with its own name as value, and returns the last revision. */
export async function putAll(store: Store, keys: readonly string[]): Promise<number> {
  let revision = 0;
  for (const key of keys) revision = await put(store, key, key);
  return revision;
}

/** Formats an entry as `"x"@7 created 5`, or `absent`. */
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
