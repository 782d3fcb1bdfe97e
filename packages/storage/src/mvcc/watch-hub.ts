import type { StoreEvent, Watch, WatchHandler } from '../store.ts';
import { RecentRecords } from './recent-records.ts';
import { eventOf } from './store-event.ts';
import { asError, type WatchedStore, WatchSession } from './watch-session.ts';
import type { Write } from './write-queue.ts';

/** All watches of a store. Those that have caught up are told of every group of writes as it becomes durable. */
export class WatchHub {
  readonly #store: WatchedStore;
  readonly #records: RecentRecords;
  /** Those that have caught up, by prefix, so that watches of the same prefix share their events. */
  readonly #live = new Map<string, Set<WatchSession>>();
  /** All that have not ended. */
  readonly #sessions = new Set<WatchSession>();

  constructor(store: WatchedStore) {
    this.#store = store;
    this.#records = new RecentRecords(store.log);
  }

  /** `refusal`: why it ends before it begins. */
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

  /** Tells of writes that have become durable. Never throws: a watch that cannot be told ends with the reason. */
  publish(writes: readonly Write[]): void {
    if (this.#live.size === 0) return;
    const events: StoreEvent[] = [];
    // Handlers may begin and stop watches. Those that begin now start after these writes, or read them from the log.
    for (const [prefix, sessions] of [...this.#live]) {
      try {
        const matching = this.#matching(prefix, writes, events);
        if (matching.length > 0) for (const session of [...sessions]) session.deliver(matching);
      } catch (error) {
        for (const session of [...sessions]) session.endSoon(asError(error));
      }
    }
  }

  /** The events of the writes below a prefix. `events` has what has been made so far, by the writes' places. */
  #matching(prefix: string, writes: readonly Write[], events: StoreEvent[]): StoreEvent[] {
    const matching: StoreEvent[] = [];
    writes.forEach((write, index) => {
      if (!write.record.key.startsWith(prefix)) return;
      events[index] ??= eventOf(this.#store.log, write.record, write);
      matching.push(events[index]);
    });
    return matching;
  }

  /** No watch begins before the revision any more. */
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
