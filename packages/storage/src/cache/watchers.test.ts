import { describe, expect, it } from 'vitest';
import type { CacheEvent } from './cache-entry.ts';
import { type CacheWatchHandler, Watchers, type WatchTarget } from './watchers.ts';

const root = '/registry/pods/';

function change(key: string, revision: number): CacheEvent<string> {
  return { type: 'put', key, revision, entry: { key, revision, value: 'v' } };
}

/** Records what a handler gets: revisions, and how it ended. */
class Recorder implements CacheWatchHandler<string> {
  readonly batches: (readonly CacheEvent<string>[])[] = [];
  readonly ends: (Error | undefined)[] = [];

  onEvents(events: readonly CacheEvent<string>[]): void {
    this.batches.push(events);
  }

  onEnd(error: Error | undefined): void {
    this.ends.push(error);
  }

  get revisions(): number[] {
    return this.batches.flat().map(({ revision }) => revision);
  }
}

function setUp() {
  const errors: Error[] = [];
  const watchers = new Watchers<string>(root, (error) => errors.push(error));
  const watch = (target: WatchTarget, after = 0, handler = new Recorder()) => {
    const watcher = watchers.add(target, after, [], handler);
    return { handler, watcher };
  };
  return { watchers, watch, errors };
}

describe('watchers', () => {
  it.each<[sentence: string, target: WatchTarget, keys: string[]]>([
    ['a prefix above the cache gets everything', '/registry/', ['a/x', 'a/xy', 'ab/x', 'c']],
    ['the prefix of the cache gets everything', root, ['a/x', 'a/xy', 'ab/x', 'c']],
    ['a namespace’s prefix gets the keys in it', `${root}a/`, ['a/x', 'a/xy']],
    ['a prefix without a trailing slash gets all keys that begin with it', `${root}a`, ['a/x', 'a/xy', 'ab/x']],
    ['a prefix that is also a key gets longer keys too', `${root}a/x`, ['a/x', 'a/xy']],
    ['a key gets only that key', { key: `${root}a/x` }, ['a/x']],
    ['a key that is a namespace gets nothing', { key: `${root}a/` }, []],
  ])('%s', (_, target, keys) => {
    const { watchers, watch } = setUp();
    const { handler } = watch(target);
    watchers.dispatch(['a/x', 'a/xy', 'ab/x', 'c'].map((key, index) => change(root + key, index + 1)));
    expect(handler.batches.flat().map(({ key }) => key)).toEqual(keys.map((key) => root + key));
  });

  it.each<WatchTarget>(['/registry/services/', { key: '/registry/' }])(
    'throws for %j, which is outside of the prefix',
    (target) => {
      const { watchers, watch } = setUp();
      expect(() => watch(target)).toThrow(RangeError);
      expect(watchers.size).toBe(0);
    },
  );

  it('passes the same array to watchers of the same prefix', () => {
    const { watchers, watch } = setUp();
    const first = watch(`${root}a/`);
    const second = watch(`${root}a/`);
    watchers.dispatch([change(`${root}a/x`, 1), change(`${root}b/x`, 2), change(`${root}a/y`, 3)]);
    expect(first.handler.revisions).toEqual([1, 3]);
    expect(second.handler.batches[0]).toBe(first.handler.batches[0]);
  });

  it('passes each batch in a new array', () => {
    const { watchers, watch } = setUp();
    const { handler } = watch(`${root}a/`);
    watchers.dispatch([change(`${root}a/x`, 1)]);
    watchers.dispatch([change(`${root}a/x`, 2)]);
    expect(handler.batches.map((batch) => batch.length)).toEqual([1, 1]);
  });

  it('starts a watcher from a future revision after that revision, in the middle of a batch too', () => {
    const { watchers, watch } = setUp();
    const { handler } = watch(root, 2);
    watchers.dispatch([change(`${root}x`, 1)]);
    watchers.dispatch([change(`${root}x`, 2), change(`${root}x`, 3)]);
    expect(handler.batches.map((batch) => batch.length)).toEqual([1]);
    expect(handler.revisions).toEqual([3]);
  });

  it('ends only the watcher whose handler throws', () => {
    const { watchers, watch, errors } = setUp();
    const failing = new Recorder();
    const cause = new Error('broken');
    failing.onEvents = () => {
      throw cause;
    };
    watch(root, 0, failing);
    const { handler } = watch(root);
    watchers.dispatch([change(`${root}x`, 1)]);
    watchers.dispatch([change(`${root}x`, 2)]);
    expect(handler.revisions).toEqual([1, 2]);
    expect(errors).toMatchObject([{ cause }]);
    expect(failing.ends).toEqual(errors);
    expect(watchers.size).toBe(1);
  });

  it('reports a handler whose onEnd throws', () => {
    const { watchers, watch, errors } = setUp();
    const failing = new Recorder();
    const cause = new Error('broken');
    failing.onEnd = () => {
      throw cause;
    };
    watch(root, 0, failing);
    const { handler } = watch(root);
    watchers.endAll(undefined);
    expect(errors).toMatchObject([{ cause }]);
    expect(handler.ends).toEqual([undefined]);
  });

  it('delivers nothing to a watcher that another watcher’s handler stopped before its turn', () => {
    const { watchers, watch } = setUp();
    const stopping = new Recorder();
    watch(root, 0, stopping);
    const stopped = [watch(root), watch({ key: `${root}x` })];
    stopping.onEvents = () => {
      for (const { watcher } of stopped) watcher.end(undefined);
    };
    watchers.dispatch([change(`${root}x`, 1)]);
    expect(stopped.map(({ handler }) => [handler.revisions, handler.ends])).toEqual([
      [[], [undefined]],
      [[], [undefined]],
    ]);
    expect(watchers.size).toBe(1);
  });

  it('allows a handler to stop its own watcher', () => {
    const { watchers, watch } = setUp();
    const { handler, watcher } = watch(root);
    handler.onEvents = (events) => {
      handler.batches.push(events);
      watcher.end(undefined);
      watcher.end(undefined);
    };
    watchers.dispatch([change(`${root}x`, 1)]);
    watchers.dispatch([change(`${root}x`, 2)]);
    expect(handler.revisions).toEqual([1]);
    expect(handler.ends).toEqual([undefined]);
    expect(watchers.size).toBe(0);
  });

  it('does not deliver a change twice to a watcher added during its delivery', () => {
    const { watchers, watch } = setUp();
    const late = new Recorder();
    const adding = new Recorder();
    adding.onEvents = () => {
      if (watchers.size === 1) watchers.add(root, 1, [], late);
    };
    watch(root, 0, adding);
    watchers.dispatch([change(`${root}x`, 1)]);
    expect(late.revisions).toEqual([]);
    watchers.dispatch([change(`${root}x`, 2)]);
    expect(late.revisions).toEqual([2]);
  });

  it.each(['a change', 'the missed changes'])(
    'keeps the order when a handler writes during the delivery of %s',
    (what) => {
      const { watchers, watch } = setUp();
      const writing = new Recorder();
      writing.onEvents = (events) => {
        if (writing.batches.length === 0) watchers.dispatch([change(`${root}x`, 2)]);
        writing.batches.push(events);
      };
      const { handler } = watch(root);
      const first = [change(`${root}x`, 1)];
      if (what === 'a change') {
        watch(root, 0, writing);
        watchers.dispatch(first);
        expect(handler.revisions).toEqual([1, 2]);
      } else {
        watchers.add(root, 1, first, writing);
        expect(handler.revisions).toEqual([2]);
      }
      expect(writing.revisions).toEqual([1, 2]);
    },
  );

  it('ends all watchers, but not those that are added within onEnd', () => {
    const { watchers, watch } = setUp();
    const error = new Error('lost');
    const again = new Recorder();
    const { handler } = watch(`${root}a/`);
    handler.onEnd = (reason) => {
      handler.ends.push(reason);
      watchers.add(`${root}a/`, 0, [], again);
    };
    const others = [watch(root), watch({ key: `${root}x` }), watch(`${root}b`)];
    watchers.endAll(error);
    expect([handler, ...others.map((other) => other.handler)].map(({ ends }) => ends)).toEqual(
      Array.from({ length: 4 }, () => [error]),
    );
    expect(again.ends).toEqual([]);
    watchers.dispatch([change(`${root}a/x`, 1)]);
    expect(again.revisions).toEqual([1]);
  });
});
