import { CompactedError } from '../errors.ts';
import type { StoreEvent } from '../store.ts';
import type { EtcdClient } from './etcd-client.ts';
import { everything } from './key-range.ts';
import { WatchStream, type WatchStreamListener } from './watch-stream.ts';

/** A receiver of the changes below a prefix. */
export interface SharedWatchMember {
  readonly prefix: string;
  /** All changes up to this revision were passed to the member. */
  readonly position: number;
  /** Passes the last changes up to `revision`, possibly none: all changes up to it have been passed then. */
  advance(events: readonly StoreEvent[], revision: number): void;
  /** The last call. */
  end(error: Error): void;
}

/**
 * One watch of all keys, used when progress notifications are not reliable (see `progressIsReliable`). Every revision
 * changes some key, so a watch of all keys is complete up to the revision of its last event. A watch of a part of the
 * keys cannot conclude that from its events.
 *
 * A member that starts at an older revision gets its own watch of all keys until it has caught up.
 */
export class SharedWatch {
  readonly #client: EtcdClient;
  readonly #members = new Set<SharedWatchMember>();
  /** Undefined when there are no members. */
  #stream: WatchStream | undefined;

  constructor(client: EtcdClient) {
    this.#client = client;
  }

  /** Passes every change after the member's position to it, until `stop` is called. */
  join(member: SharedWatchMember): { stop(): void } {
    let catchingUp: WatchStream | undefined;
    if (!this.#attach(member)) {
      catchingUp = this.#open(member.position, {
        onAdvance: (events, revision) => {
          give(member, events, revision);
          if (catchingUp !== undefined && this.#attach(member)) {
            catchingUp.stop();
            catchingUp = undefined;
          }
        },
        onEnd: (error) => member.end(error),
      });
    }
    return {
      stop: () => {
        catchingUp?.stop();
        catchingUp = undefined;
        this.#leave(member);
      },
    };
  }

  /** Adds the member to the shared stream, unless its position is behind the stream's. Returns whether it was added. */
  #attach(member: SharedWatchMember): boolean {
    this.#stream ??= this.#open(member.position, {
      onAdvance: (events, revision) => {
        for (const each of this.#members) give(each, events, revision);
      },
      onEnd: (error) => this.#broken(error),
    });
    if (member.position < this.#stream.position) return false;
    this.#members.add(member);
    return true;
  }

  #leave(member: SharedWatchMember): void {
    this.#members.delete(member);
    if (this.#members.size > 0) return;
    this.#stream?.stop();
    this.#stream = undefined;
  }

  /** Restarts the stream after an error. A compaction ends only the members that need the compacted history. */
  #broken(error: Error): void {
    const known = error instanceof CompactedError ? error.compactedRevision : Number.POSITIVE_INFINITY;
    // The member with the lowest position opens the stream, so that no other one is behind it.
    const members = [...this.#members].sort((a, b) => a.position - b.position);
    this.#members.clear();
    this.#stream = undefined;
    for (const member of members) if (member.position >= known) this.#attach(member);
    for (const member of members) if (member.position < known) member.end(error);
  }

  #open(after: number, listener: WatchStreamListener): WatchStream {
    return new WatchStream({ client: this.#client, range: everything, after, listener });
  }
}

function give(member: SharedWatchMember, events: readonly StoreEvent[], revision: number): void {
  const { prefix, position } = member;
  if (revision <= position) return;
  member.advance(
    events.filter((event) => event.revision > position && event.key.startsWith(prefix)),
    revision,
  );
}
