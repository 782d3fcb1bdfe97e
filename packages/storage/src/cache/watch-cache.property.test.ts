import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CompactedError } from '../errors.ts';
import type { CacheEvent } from './cache-entry.ts';
import { ScriptedStore } from './scripted-store.test-data.ts';
import { WatchCache } from './watch-cache.ts';
import type { CacheWatchHandler, WatchTarget } from './watchers.ts';

const prefix = '/r/';
const keys = ['a/x', 'a/y', 'a/xy', 'ab/x', 'b/x', 'c'].map((name) => prefix + name);
const targets: WatchTarget[] = [prefix, '/', '/r/a/', '/r/a', '/r/b/', '/r/a/x', { key: '/r/a/x' }, { key: '/r/c' }];

/** A client's state: a list, updated by the events of its watch. */
class Client implements CacheWatchHandler<string> {
  readonly target: WatchTarget;
  readonly state: Map<string, string>;
  /** The revision of the last change it received. */
  revision: number;
  /** True while its watch is running. */
  live = false;
  watching: { stop(): void } | undefined;
  /** The expectation that failed in `onEvents`. */
  fault: unknown;

  constructor(store: ScriptedStore, target: WatchTarget, revision: number) {
    this.target = target;
    this.revision = revision;
    this.state = stateOf(store, target, revision);
  }

  /** Watches from its revision, unless that is older than the window. */
  watch(cache: WatchCache<string>): void {
    this.live = true;
    try {
      this.watching = cache.watch(this.target, this.revision, this);
    } catch (error) {
      if (!(error instanceof CompactedError)) throw error;
      expect(this.revision).toBeLessThan(cache.stats.oldestRevision);
      this.live = false;
    }
  }

  onEvents(events: readonly CacheEvent<string>[]): void {
    expect(this.live).toBe(true);
    for (const { type, key, revision, entry, previous } of events) {
      expect(revision).toBeGreaterThan(this.revision);
      expect(previous?.value).toBe(this.state.get(key));
      this.revision = revision;
      if (type === 'put') this.state.set(key, entry.value);
      else this.state.delete(key);
    }
  }

  onEnd(error: Error | undefined): void {
    this.live = false;
    if (error !== undefined && !(error instanceof CompactedError)) this.fault = error.cause;
  }
}

function matches(target: WatchTarget, key: string): boolean {
  return typeof target === 'string' ? key.startsWith(target) : key === target.key;
}

function stateOf(store: ScriptedStore, target: WatchTarget, revision?: number): Map<string, string> {
  const found = [...store.state(revision).values()].filter(({ key }) => key.startsWith(prefix) && matches(target, key));
  return new Map(found.map(({ key, value }) => [key, new TextDecoder().decode(value)]));
}

/** A cache over a store, with clients that start and stop. */
class World {
  readonly store = new ScriptedStore();
  readonly clients: Client[] = [];
  cache = this.#create();

  #create(): WatchCache<string> {
    return new WatchCache<string>({
      store: this.store,
      prefix,
      decode: ({ value }) => new TextDecoder().decode(value),
      sizeOf: (value) => value.length,
      window: { events: 12, bytes: 30 },
      random: () => 0.5,
    });
  }

  async start(): Promise<void> {
    this.store.holdEvents = false;
    await Promise.all([this.cache.start(), vi.advanceTimersByTimeAsync(10_000)]);
  }

  join(target: WatchTarget, back: number): void {
    // A revision inside the window, older than the window, or slightly newer than the cache's.
    const revision = Math.max(1, Math.min(this.store.revision, this.cache.revision + 2 - back));
    const client = new Client(this.store, target, revision);
    client.watch(this.cache);
    this.clients.push(client);
  }

  /** Replaces the cache by a new one over the same store, as after a restart. Clients resume with it. */
  async restart(): Promise<void> {
    const clients = this.clients.filter(({ live }) => live);
    this.cache.stop();
    this.cache = this.#create();
    await this.start();
    for (const client of clients) client.watch(this.cache);
  }
}

type Step = (world: World) => unknown;

const anyValue = fc.option(fc.stringMatching(/^[a-z]{0,9}$/), { nil: undefined });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .dictionary(fc.constantFrom(...keys, '/elsewhere'), anyValue, { minKeys: 1, maxKeys: 4 })
      .map((changes) => (world: World) => world.store.write(changes)),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom(...targets), fc.nat(16)).map(
      ([target, back]) =>
        (world: World) =>
          world.join(target, back),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.nat(400).map((ms) => () => vi.advanceTimersByTimeAsync(ms)),
  },
  {
    weight: 1,
    arbitrary: fc.boolean().map((hold) => (world: World) => {
      world.store.holdEvents = hold;
      world.store.deliver();
    }),
  },
  fc.nat(3).map((count) => (world: World) => world.store.deliverSome(count)),
  fc.nat(20).map((index) => (world: World) => world.clients[index]?.watching?.stop()),
  fc.nat(8).map((back) => (world: World) => world.store.compact(world.store.revision - back)),
  fc.constant((world: World) => world.store.breakWatches(new Error('connection reset'))),
  fc.constant((world: World) => world.restart()),
);

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('watch cache', () => {
  it('keeps every watcher consistent with the store, whatever happens to the store’s watch', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 10, maxLength: 60 }), async (steps) => {
        const world = new World();
        await world.start();
        for (const step of steps) await step(world);
        const { store, clients, cache } = world;
        store.holdEvents = false;
        const fresh = cache.fresh({ timeoutMs: 60_000 });
        await vi.advanceTimersByTimeAsync(10_000);
        expect(await fresh).toBe(store.revision);
        expect(new Map(cache.list(prefix).entries.map(({ key, value }) => [key, value]))).toEqual(
          stateOf(store, prefix),
        );
        for (const client of clients) {
          if (client.fault !== undefined) throw client.fault;
          expect(client.state).toEqual(stateOf(store, client.target, client.live ? store.revision : client.revision));
        }
        cache.stop();
        expect(vi.getTimerCount()).toBe(0);
      }),
      { numRuns: 150 },
    );
  });
});
