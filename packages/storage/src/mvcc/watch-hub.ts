import type { StoreEvent, Watch, WatchHandler } from '../store.ts';
import { RecentRecords } from './recent-records.ts';
import { eventOf } from './store-event.ts';
import { asError, type WatchedStore, WatchSession } from './watch-session.ts';
import type { Write } from './write-queue.ts';

/** All watches of a store. Those that have caught up receive every group of writes when it is durable. */
export class WatchHub {
  readonly #store: WatchedStore;
  readonly #records: RecentRecords;
  /** The watches that have caught up, by prefix. Watches of the same prefix share their events. */
  readonly #live = new Map<string, Set<WatchSession>>();
  /** All watches that have not ended. */
  readonly #sessions = new Set<WatchSession>();

  constructor(store: WatchedStore) {
    this.#store = store;
    this.#records = new RecentRecords(store.log);
  }

  /** Starts a watch. With `refusal` it ends with that error instead. */
  watch(prefix: string, after: number, handler: WatchHandler, refusal?: Error): Watch {
    const session = new WatchSession({
      store: this.#store,
      records: this.#records,
      prefix,
      after,
      handler,
      onCaughtUp: () => this.#join(session),
      onEnded: () => this.#leave(session),
    });
    this.#sessions.add(session);
    if (refusal !== undefined) session.endSoon(refusal);
    else session.start();
    return session;
  }

  /**
   * Delivers writes that have become durable. Never throws: when an event cannot be made, the watches of that prefix
   * end with the error.
   */
  publish(writes: readonly Write[]): void {
    if (this.#live.size === 0) return;
    const events: StoreEvent[] = [];
    // Handlers may start and stop watches. Those started now begin after these writes, or read them from the log.
    for (const [prefix, sessions] of [...this.#live]) {
      try {
        const matching = this.#matching(prefix, writes, events);
        if (matching.length > 0) for (const session of [...sessions]) session.deliver(matching);
      } catch (error) {
        for (const session of [...sessions]) session.endSoon(asError(error));
      }
    }
  }

  /** Returns the events of the writes below a prefix. `events` caches the events made so far, by the writes' index. */
  #matching(prefix: string, writes: readonly Write[], events: StoreEvent[]): StoreEvent[] {
    const matching: StoreEvent[] = [];
    writes.forEach((write, index) => {
      if (!write.record.key.startsWith(prefix)) return;
      events[index] ??= eventOf(this.#store.log, write.record, write);
      matching.push(events[index]);
    });
    return matching;
  }

  /** Notes that no watch can start before this revision any more. */
  compacted(revision: number): void {
    this.#records.forgetBefore(revision);
  }

  /** Ends all watches without error. */
  close(): void {
    for (const session of [...this.#sessions]) session.end(undefined);
  }

  #join(session: WatchSession): void {
    const sessions = this.#live.get(session.prefix);
    if (sessions === undefined) this.#live.set(session.prefix, new Set([session]));
    else sessions.add(session);
  }

  #leave(session: WatchSession): void {
    this.#sessions.delete(session);
    const sessions = this.#live.get(session.prefix);
    if (sessions?.delete(session) && sessions.size === 0) this.#live.delete(session.prefix);
  }
}
