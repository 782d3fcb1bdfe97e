import type { CacheEvent } from './cache-entry.ts';

export interface CacheWatchHandler<T> {
  /** Changes of the watcher's target, in order. Called synchronously, with the same array for all watchers of the same target. */
  onEvents(events: readonly CacheEvent<T>[]): void;
  /**
   * The last call. `error` is undefined when the watch was stopped, and set when the cache had to list again: then the client must list
   * again too.
   */
  onEnd(error: Error | undefined): void;
}

/** The watched keys: all that begin with the string, or one key. */
export type WatchTarget = string | { readonly key: string };

/** The watchers of one target. They get the same array of events. */
interface Channel<T> {
  readonly watchers: Set<Watcher<T>>;
  /** The events for this channel among those being delivered; undefined when there are none so far. */
  batch: CacheEvent<T>[] | undefined;
}

type Channels<T> = Map<string, Channel<T>>;

/**
 * Delivers changes to watchers. Finding the watchers of a change takes a few map lookups, however many others there are.
 *
 * When a handler writes, the resulting changes are queued until all watchers have received the current ones. When a handler throws, its
 * watcher ends with that error; other watchers are not affected.
 */
export class Watchers<T> {
  readonly #prefix: string;
  readonly #onError: (error: Error) => void;
  readonly #all: Channel<T> = { watchers: new Set(), batch: undefined };
  readonly #byKey: Channels<T> = new Map();
  /** By prefixes that end in a slash. The possible ones of a key are found at its slashes. */
  readonly #byFolder: Channels<T> = new Map();
  /** By other prefixes. Each is compared with the key. */
  readonly #byOther: Channels<T> = new Map();
  /** Changes to deliver after the current ones. Empty when nothing is being delivered. */
  readonly #queue: (readonly CacheEvent<T>[])[] = [];
  #delivering = false;
  #size = 0;

  /** All dispatched changes must be below the prefix. */
  constructor(prefix: string, onError: (error: Error) => void) {
    this.#prefix = prefix;
    this.#onError = onError;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Delivers the missed changes synchronously, and from now on every change after the revision `after`. Throws a RangeError for a target
   * outside of the prefix.
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

  /** Delivers changes. They must be newer than all earlier ones. */
  dispatch(events: readonly CacheEvent<T>[]): void {
    if (this.#size === 0 || events.length === 0) return;
    if (this.#delivering) this.#queue.push(events);
    else this.#alone(() => this.#deliver(events));
  }

  /** Ends all current watchers. Their handlers may add watchers again. */
  endAll(error: Error | undefined): void {
    const channels = [this.#all, ...[this.#byKey, this.#byFolder, this.#byOther].flatMap((map) => [...map.values()])];
    this.#queue.length = 0;
    for (const watcher of channels.flatMap(({ watchers }) => [...watchers])) watcher.end(error);
  }

  /** Runs `callHandlers`, then delivers the changes that were queued meanwhile. */
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
      // A watcher added during the iteration is visited too. It has these changes from the window already and skips them.
      for (const watcher of channel.watchers) watcher.deliver(batch);
    }
  }

  /** Adds the change to the batch of every channel whose target includes its key. */
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

/** One watcher of a channel. */
class Watcher<T> {
  readonly #handler: CacheWatchHandler<T>;
  readonly #onError: (error: Error) => void;
  readonly #onEnd: (watcher: Watcher<T>) => void;
  /** Changes up to this revision are not delivered: the watcher has them already, or did not request them. */
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

  /** Delivers the changes after `#after`. */
  deliver(events: readonly CacheEvent<T>[]): void {
    const after = this.#after;
    const wanted = events[0]!.revision > after ? events : events.filter(({ revision }) => revision > after);
    if (wanted.length > 0) this.hand(wanted);
  }

  /** Delivers the changes, whatever their revisions. */
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

  /** Ends the watcher. Further calls do nothing. */
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
