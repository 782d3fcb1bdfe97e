import { expect, it } from 'vitest';
import { isObjectEvent, isWatchEvent, type WatchEvent } from './event.ts';

it.each<[string, unknown, boolean]>([
  ['an added object', { type: 'ADDED', object: { kind: 'Pod' } }, true],
  ['an error', { type: 'ERROR', object: { kind: 'Status', code: 410 } }, true],
  ['a bookmark', { type: 'BOOKMARK', object: { metadata: { resourceVersion: '5' } } }, true],
  ['a bookmark without version', { type: 'BOOKMARK', object: { metadata: {} } }, false],
  ['another type', { type: 'added', object: {} }, false],
  ['an inherited type', { type: 'constructor', object: {} }, false],
  ['no object', { type: 'ADDED' }, false],
  ['a list', [], false],
  ['nothing', null, false],
])('isWatchEvent for %s', (_, value, expected) => {
  expect(isWatchEvent(value)).toBe(expected);
});

it('isObjectEvent detects events with objects', () => {
  const names = (events: WatchEvent<{ name: string }>[]): string[] =>
    events.filter(isObjectEvent).map((event) => event.object.name);
  expect(
    names([
      { type: 'ADDED', object: { name: 'a' } },
      { type: 'BOOKMARK', object: { metadata: { resourceVersion: '2' } } },
      { type: 'DELETED', object: { name: 'b' } },
      { type: 'ERROR', object: { code: 410 } },
    ]),
  ).toEqual(['a', 'b']);
});
