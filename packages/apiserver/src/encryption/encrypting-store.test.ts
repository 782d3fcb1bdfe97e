import { openMemoryStore, type StoreEvent } from '@coxswain/storage';
import { describeStore } from '@coxswain/storage/contract';
import { describe, expect, it } from 'vitest';
import { EncryptingStore } from './encrypting-store.ts';
import { aesGcm, identity } from './local-transformers.ts';
import { PrefixedTransformers } from './prefixed-transformers.ts';
import type { Transformer } from './transformer.ts';

const [one, two] = ['1', '2'].map((digit) => aesGcm(Buffer.from(digit.repeat(32))));
const keys = (all: Record<string, Transformer>): Transformer =>
  new PrefixedTransformers(
    Object.entries(all).map(([prefix, transformer]) => ({ prefix, transformer })),
    'no matching key',
  );
const bytes = (text: string): Uint8Array => Buffer.from(text);
const text = (value: Uint8Array | undefined): string | undefined => value && Buffer.from(value).toString();

describeStore('an encrypting store', { describe, it }, { inProcess: true, durable: false }, async () => {
  const store = new EncryptingStore(openMemoryStore(), keys({ 'k8s:enc:1:': one! }));
  return { store, dispose: () => store.close() };
});

describe('an encrypting store', () => {
  it('stores no plaintext', async () => {
    const memory = openMemoryStore();
    await new EncryptingStore(memory, keys({ 'k8s:enc:1:': one! })).put('/s', bytes('password'), { expected: 0 });
    const { entry } = await memory.get('/s');
    expect(text(entry?.value)).toMatch(/^k8s:enc:1:/);
    expect(text(entry?.value)).not.toContain('password');
    await memory.close();
  });

  it('reads with all keys and writes with the first; values of another key, and plaintext, are stale', async () => {
    const memory = openMemoryStore();
    await memory.put('/plain', bytes('a'), { expected: 0 });
    await new EncryptingStore(memory, keys({ 'k8s:enc:1:': one! })).put('/one', bytes('b'), { expected: 0 });
    const rotated = new EncryptingStore(memory, keys({ 'k8s:enc:2:': two!, 'k8s:enc:1:': one!, '': identity }));
    await rotated.put('/two', bytes('c'), { expected: 0 });
    const { entries } = await rotated.list('/');
    expect(entries.map(({ key, value, stale }) => [key, text(value), stale])).toEqual([
      ['/one', 'b', true],
      ['/plain', 'a', true],
      ['/two', 'c', false],
    ]);
    await memory.close();
  });

  it('sets the reason on entries it cannot decrypt, and delivers the other ones', async () => {
    const memory = openMemoryStore();
    const store = new EncryptingStore(memory, keys({ 'k8s:enc:2:': two! }));
    const events: StoreEvent[] = [];
    store.watch('/', 1, { onEvents: (batch) => events.push(...batch) });
    await memory.put('/foreign', bytes('k8s:enc:1:x'), { expected: 0 });
    await store.put('/own', bytes('b'), { expected: 0 });
    const { entries } = await store.list('/');
    expect(entries.map(({ key, unreadable }) => [key, unreadable?.message])).toEqual([
      ['/foreign', 'no matching key'],
      ['/own', undefined],
    ]);
    expect(events.map((event) => event.type === 'put' && event.entry.unreadable?.message)).toEqual([
      'no matching key',
      undefined,
    ]);
    await memory.close();
  });

  it('keeps the order of events when decryption is asynchronous, and drops pending events on stop', async () => {
    const memory = openMemoryStore();
    let finish = (): void => {};
    const slow: Transformer = {
      encrypt: (value) => value,
      decrypt: (value, key) => {
        const decrypted = { value, stale: false };
        return key === '/slow'
          ? new Promise((resolve) => {
              finish = () => resolve(decrypted);
            })
          : decrypted;
      },
    };
    const store = new EncryptingStore(memory, slow);
    const told: string[] = [];
    const watch = store.watch('/', 1, {
      onEvents: (events) => told.push(...events.map(({ key }) => key)),
      onProgress: (revision) => told.push(`progress ${revision}`),
      onEnd: () => told.push('end'),
    });
    const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    await memory.put('/slow', bytes('a'), { expected: 0 });
    await memory.put('/fast', bytes('b'), { expected: 0 });
    watch.requestProgress();
    await settle();
    expect(told).toEqual([]);
    finish();
    await settle();
    expect(told).toEqual(['/slow', '/fast', 'progress 3']);
    await memory.delete('/slow', { expected: 2 });
    watch.stop();
    finish();
    await settle();
    expect(told.slice(3)).toEqual(['end']);
    await memory.close();
  });
});
