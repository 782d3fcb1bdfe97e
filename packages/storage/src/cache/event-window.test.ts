import { describe, expect, it } from 'vitest';
import type { SizedEntry, SizedEvent } from './cache-entry.ts';
import { EventWindow, type WindowBounds } from './event-window.ts';

const everything = () => true;

function newWindow(
  oldestRevision: number,
  bounds: Partial<WindowBounds>,
  now: () => number = () => 0,
): EventWindow<string> {
  const all = { events: 1000, bytes: 1000, ageMs: 1000, oldEvents: 0, ...bounds };
  return new EventWindow<string>(oldestRevision, all, now);
}

function entry(revision: number, bytes: number): SizedEntry<string> {
  return { key: 'a', revision, value: `${revision}`, bytes };
}

function put(revision: number, previousBytes?: number): SizedEvent<string> {
  const previous = previousBytes === undefined ? undefined : entry(revision - 1, previousBytes);
  return { type: 'put', key: 'a', revision, entry: entry(revision, 1), previous };
}

function revisions(events: readonly SizedEvent<string>[]): number[] {
  return events.map(({ revision }) => revision);
}

describe('event window', () => {
  it('returns the matching events after a revision', () => {
    const window = newWindow(5, { events: 10, bytes: 100 });
    for (const revision of [6, 8, 9]) window.push(put(revision));
    expect(revisions(window.since(5, everything))).toEqual([6, 8, 9]);
    expect(revisions(window.since(7, everything))).toEqual([8, 9]);
    expect(revisions(window.since(8, everything))).toEqual([9]);
    expect(revisions(window.since(9, everything))).toEqual([]);
    expect(window.since(5, (key) => key !== 'a')).toEqual([]);
    expect(window.oldestRevision).toBe(5);
  });

  it('drops the oldest events when there are too many, and oldestRevision is that of the last one dropped', () => {
    const window = newWindow(1, { events: 3, bytes: 100 });
    for (let revision = 2; revision <= 6000; revision++) window.push(put(revision));
    expect(window.length).toBe(3);
    expect(window.oldestRevision).toBe(5997);
    expect(revisions(window.since(5997, everything))).toEqual([5998, 5999, 6000]);
  });

  it('drops the oldest events when the replaced values they hold have too many bytes', () => {
    const window = newWindow(1, { events: 100, bytes: 100 });
    window.push(put(2));
    window.push(put(3, 40));
    window.push(put(4, 60));
    expect(window).toMatchObject({ bytes: 100, length: 3, oldestRevision: 1 });
    window.push(put(5, 1));
    expect(window).toMatchObject({ bytes: 61, length: 2, oldestRevision: 3 });
  });

  it('does not keep an event whose replaced value alone is too large', () => {
    const window = newWindow(1, { events: 100, bytes: 100 });
    window.push(put(2));
    window.push(put(3, 101));
    expect(window).toMatchObject({ bytes: 0, length: 0, oldestRevision: 3 });
  });

  it('drops events that are too old, except for the last oldEvents', () => {
    let now = 0;
    const window = newWindow(1, { ageMs: 100, oldEvents: 2 }, () => now);
    for (const revision of [2, 3, 4, 5]) {
      window.push(put(revision, 1));
      now += 50;
    }
    expect(window).toMatchObject({ bytes: 3, length: 3, oldestRevision: 2 });
    window.forgetOld();
    expect(window).toMatchObject({ bytes: 2, length: 2, oldestRevision: 3 });
    now += 1000;
    window.forgetOld();
    expect(revisions(window.since(3, everything))).toEqual([4, 5]);
    window.push(put(6, 1));
    expect(revisions(window.since(4, everything))).toEqual([5, 6]);
  });
});
