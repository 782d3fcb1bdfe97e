import { describe, it } from 'vitest';
import { describeStore } from '../contract/index.ts';
import { FakeClock } from '../mvcc/fake-clock.test-data.ts';
import { openMemoryStore } from '../open-store.ts';

describeStore('memory', { describe, it }, { inProcess: true, durable: false }, async () => {
  const clock = new FakeClock();
  const store = openMemoryStore({ clock });
  return { store, passTime: (seconds) => clock.pass(seconds), dispose: () => store.close() };
});
