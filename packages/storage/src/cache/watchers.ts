import type { CacheEvent } from './cache-entry.ts';

export interface CacheWatchHandler<T> {
  /** Changes below the watcher's prefix, in order; called synchronously, with the same array for watchers of the same prefix. */
  onEvents(events: readonly CacheEvent<T>[]): void;
  /** The last call: undefined when it was stopped, an error when the cache lost its place and the watcher must list again. */
  onEnd(error: Error | undefined): void;
}

/** What is watched: all keys that begin with the string, or just one key. */
export type WatchTarget = string | { readonly key: string };

/** Watchers of the same target. They get the same array of events. */
interface Channel<T> {
  readonly watchers: Set<Watcher<T>>;
  /** What the changes being delivered have for it; undefined when nothing so far. */
  batch: CacheEvent<T>[] | undefined;
}

type Channels<T> = Map<string, Channel<T>>;

/**
 * Hands changes to watchers. Finding those a change concerns takes a few lookups, however many others there are.
 *
 * Changes that come while others are being delivered (because a handler writes) wait until all watchers have those
 * before. A handler that throws loses its place: its watcher ends with what was thrown, and nobody else notices.
 */
export class Watchers<T> {
  readonly #prefix: string;
  readonly #onError: (error: Error) => void;
  readonly #all: Channel<T> = { watchers: new Set(), batch: undefined };
  readonly #byKey: Channels<T> = new Map();
  /** By prefixes that end in a slash: those a key can have are found by looking at its slashes. */
  readonly #byFolder: Channels<T> = new Map();
  /** By other prefixes: each is compared. */
  readonly #byOther: Channels<T> = new Map();
  /** Changes that wait to be delivered; only while others are. */
  readonly #queue: (readonly CacheEvent<T>[])[] = [];
  #delivering = false;
  #size = 0;

  /** No change is outside of the prefix. */
  constructor(prefix: string, onError: (error: Error) => void) {
    this.#prefix = prefix;
    this.#onError = onError;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Gives the handler the missed changes, synchronously, and from now on what comes after the revision `after`. Throws
   * a RangeError for a target that is outside of the prefix.
   */
  add(target: WatchTarget, after: number, missed: readonly CacheEvent<T>[], handler: CacheWatchHandler<T>): Watcher<T> {
    const [channels, name] = this.#place(target);
    let channel = channels === undefined ? this.#all : channels.get(name);
    if (channel === undefined) {
      channel = { watchers: new Set(), batch: undefined };
      channels?.set(name, channel);
    }
    const { watchers } = channel;
    const watcher = new Watcher(handler, after, this.#onError, (ended) => {
      if (!watchers.delete(ended)) return;
      this.#size--;
      if (watchers.size === 0) channels?.delete(name);
    });
    watchers.add(watcher);
    this.#size++;
    if (missed.length > 0) this.#alone(() => watcher.hand(missed));
    return watcher;
  }

  /** Delivers changes that are newer than all before. */
  dispatch(events: readonly CacheEvent<T>[]): void {
    if (this.#size === 0 || events.length === 0) return;
    if (this.#delivering) this.#queue.push(events);
    else this.#alone(() => this.#deliver(events));
  }

  /** Ends everybody who watches now; handlers may add watchers again. */
  endAll(error: Error | undefined): void {
    const channels = [this.#all, ...[this.#byKey, this.#byFolder, this.#byOther].flatMap((map) => [...map.values()])];
    this.#queue.length = 0;
    for (const watcher of channels.flatMap(({ watchers }) => [...watchers])) watcher.end(error);
  }

  /** Calls handlers, and then delivers what came up meanwhile. */
  #alone(callHandlers: () => void): void {
    const outermost = !this.#delivering;
    this.#delivering = true;
    callHandlers();
    if (!outermost) return;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) this.#deliver(next);
    this.#delivering = false;
  }

  #place(target: WatchTarget): [channels: Channels<T> | undefined, name: string] {
    const name = typeof target === 'string' ? target : target.key;
    if (typeof target === 'string' && this.#prefix.startsWith(name)) return [undefined, name];
    if (!name.startsWith(this.#prefix)) throw new RangeError(`${name} is outside of ${this.#prefix}`);
    if (typeof target !== 'string') return [this.#byKey, name];
    return [name.endsWith('/') ? this.#byFolder : this.#byOther, name];
  }

  #deliver(events: readonly CacheEvent<T>[]): void {
    const concerned: Channel<T>[] = [];
    for (const event of events) this.#sort(event, concerned);
    for (const channel of concerned) {
      const batch = channel.batch ?? [];
      channel.batch = undefined;
      // Who is added meanwhile is visited too, but has these changes from the window and lets them pass.
      for (const watcher of channel.watchers) watcher.deliver(batch);
    }
  }

  /** Adds the change to the batch of every channel it concerns. */
  #sort(event: CacheEvent<T>, concerned: Channel<T>[]): void {
    const { key } = event;
    if (this.#all.watchers.size > 0) addTo(this.#all, event, concerned);
    if (this.#byKey.size > 0) addTo(this.#byKey.get(key), event, concerned);
    if (this.#byFolder.size > 0) {
      for (let end = key.indexOf('/', this.#prefix.length); end >= 0; end = key.indexOf('/', end + 1)) {
        addTo(this.#byFolder.get(key.slice(0, end + 1)), event, concerned);
      }
    }
    for (const [prefix, channel] of this.#byOther) {
      if (key.startsWith(prefix)) addTo(channel, event, concerned);
    }
  }
}

function addTo<T>(channel: Channel<T> | undefined, event: CacheEvent<T>, concerned: Channel<T>[]): void {
  if (channel === undefined) return;
  if (channel.batch === undefined) {
    channel.batch = [event];
    concerned.push(channel);
  } else {
    channel.batch.push(event);
  }
}

/** One who watches. */
class Watcher<T> {
  readonly #handler: CacheWatchHandler<T>;
  readonly #onError: (error: Error) => void;
  readonly #onEnd: (watcher: Watcher<T>) => void;
  /** Changes up to that revision are none of its business: it has them, or did not ask for them. */
  readonly #after: number;
  #ended = false;

  constructor(
    handler: CacheWatchHandler<T>,
    after: number,
    onError: (error: Error) => void,
    onEnd: (watcher: Watcher<T>) => void,
  ) {
    this.#handler = handler;
    this.#after = after;
    this.#onError = onError;
    this.#onEnd = onEnd;
  }

  /** Hands over those of the changes that are new to it. */
  deliver(events: readonly CacheEvent<T>[]): void {
    const after = this.#after;
    const wanted = events[0]!.revision > after ? events : events.filter(({ revision }) => revision > after);
    if (wanted.length > 0) this.hand(wanted);
  }

  /** Hands over the changes, whatever their revisions. */
  hand(events: readonly CacheEvent<T>[]): void {
    if (this.#ended) return;
    try {
      this.#handler.onEvents(events);
    } catch (thrown) {
      const error = new Error('the handler of a watch failed', { cause: thrown });
      this.#onError(error);
      this.end(error);
    }
  }

  /** Once; again does nothing. */
  end(error: Error | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd(this);
    try {
      this.#handler.onEnd(error);
    } catch (thrown) {
      this.#onError(new Error('the handler of a watch failed at its end', { cause: thrown }));
    }
  }
}
