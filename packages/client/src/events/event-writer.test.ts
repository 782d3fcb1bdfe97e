import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { EventWriter } from './event-writer.ts';

/** A writer whose writes wait for `release`, with recorded events that the test does not reference itself. */
function writerOf(events: number) {
  let release = (): void => {};
  const written: WeakRef<object>[] = [];
  const writer = new EventWriter<object>(
    {
      prepare: (event) => () => {
        written.push(new WeakRef(event));
        return new Promise((resolve) => {
          release = resolve;
        });
      },
      delayMs: () => 0,
      describe: () => 'an event',
    },
    { queueSize: 100_000 },
  );
  for (let i = 0; i < events; i++) writer.enqueue({});
  return { writer, written, release: () => release() };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('a written event can be garbage collected while others are queued', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const { writer, written, release } = writerOf(20);
  for (let i = 0; i < 10; i++) {
    await nextTurn();
    release();
  }
  await nextTurn();
  expect(written).toHaveLength(11);
  collectGarbage();
  // Only the event being written is referenced.
  expect(written.filter((event) => event.deref() !== undefined)).toHaveLength(1);
  const stopped = writer.stop();
  release();
  await stopped;
});

it('all events are written in order, also when the queue array is compacted', async () => {
  const written: number[] = [];
  const writer = new EventWriter<{ readonly id: number }>(
    {
      prepare:
        ({ id }) =>
        async () => {
          written.push(id);
        },
      delayMs: () => 0,
      describe: ({ id }) => `${id}`,
    },
    { queueSize: 10_000 },
  );
  for (let id = 0; id < 5000; id++) writer.enqueue({ id });
  await writer.flush();
  expect(written).toEqual(Array.from({ length: 5000 }, (_, id) => id));
});
