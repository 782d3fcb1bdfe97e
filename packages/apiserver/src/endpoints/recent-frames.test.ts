import { expect, it } from 'vitest';
import { RecentFrames } from './recent-frames.ts';

/** Returns a function that gets frames of ten bytes each, and the names of those that were made. */
function looking(maxBytes: number): { look(event: object, name?: string): Buffer; made: string[] } {
  const frames = new RecentFrames(maxBytes);
  const made: string[] = [];
  return {
    made,
    look: (event, name = 'ADDED') =>
      frames.of(event, name, () => {
        made.push(name);
        return Buffer.alloc(10);
      }),
  };
}

it('a frame is made once for each event and name', () => {
  const { look, made } = looking(1000);
  const event = {};
  expect(look(event)).toBe(look(event));
  look(event, 'ADDED v1');
  look({});
  expect(made).toEqual(['ADDED', 'ADDED v1', 'ADDED']);
});

it('the newest frames are kept, and older ones are made again', () => {
  const { look, made } = looking(30);
  const events = Array.from({ length: 100 }, () => ({}));
  for (const event of events) look(event);
  made.length = 0;
  for (const event of events.slice(-3)) look(event);
  expect(made).toEqual([]);
  for (const event of events.slice(0, 90)) look(event);
  expect(made).toHaveLength(90);
});
