/**
 * Writes to a store as fast as it can and reports everything on standard output, until it is killed. A line is
 * `opened <revision>`, `event <type> <key> <revision> <checksum>`, `ack` with the same fields, or `compacted <revision>`.
 */
import { writeSync } from 'node:fs';
import { openLmdbStore } from '../open-store.ts';
import type { Store } from '../store.ts';
import { checkedValue, seededRandom, sumOfValue } from './crash-values.test-data.ts';

const writers = 12;
const keys = 60;

const [path = '', seed = '0'] = process.argv.slice(2);
const random = seededRandom(Number(seed));

function tell(...words: readonly (string | number)[]): void {
  writeSync(1, `${words.join(' ')}\n`);
}

async function write(store: Store): Promise<void> {
  for (;;) {
    const key = `/crash/${Math.floor(random() * keys)}`;
    const { entry } = await store.get(key);
    const expected = entry?.modRevision ?? 0;
    if (entry !== undefined && random() < 0.3) {
      const result = await store.delete(key, { expected });
      if (result.ok) tell('ack', 'delete', key, result.revision, '-');
    } else {
      const value = checkedValue(random);
      const result = await store.put(key, value, { expected });
      if (result.ok) tell('ack', 'put', key, result.revision, sumOfValue(value) ?? 'broken');
    }
    if (random() < 0.01) {
      const revision = Math.max(1, (await store.currentRevision()) - Math.floor(random() * 200));
      await store.compact(revision);
      tell('compacted', revision);
    }
  }
}

tell('started');
const store = await openLmdbStore({ path });
const revision = await store.currentRevision();
store.watch('/crash/', revision, {
  onEvents: (events) => {
    for (const event of events) {
      const sum = event.type === 'put' ? (sumOfValue(event.entry.value) ?? 'broken') : '-';
      tell('event', event.type, event.key, event.revision, sum);
    }
  },
});
tell('opened', revision);
await Promise.all(Array.from({ length: writers }, () => write(store)));
