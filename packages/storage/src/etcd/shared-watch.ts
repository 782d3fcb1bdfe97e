import { CompactedError } from '../errors.ts';
import type { StoreEvent } from '../store.ts';
import type { EtcdClient } from './etcd-client.ts';
import { everything } from './key-range.ts';
import { WatchStream, type WatchStreamListener } from './watch-stream.ts';

/** Someone who is told of the changes below a prefix. */
export interface SharedWatchMember {
  readonly prefix: string;
  /** Everything up to it has been given to the member. */
  readonly position: number;
  /** Everything up to the revision has been given, these changes being the last of it. There may be none. */
  advance(events: readonly StoreEvent[], revision: number): void;
  /** The last call. */
  end(error: Error): void;
}

/**
 * One watch of all keys, for members that cannot say how far they are (see `progressIsReliable`). Every revision
 * changes some key, so a watch of all keys knows by itself how far it is: at the revision of its last change. That
 * is what a watch of a part cannot know, and etcd is not asked.
 *
 * Who begins further back gets a watch of all keys of its own until it has caught up.
 */
export class SharedWatch {
  readonly #client: EtcdClient;
  readonly #members = new Set<SharedWatchMember>();
  /** Present while there are members. */
  #stream: WatchStream | undefined;

  constructor(client: EtcdClient) {
    this.#client = client;
  }

  /** Tells the member of everything after its position, until `stop` is called. */
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

  /** Whether the member is where all are or ahead of them, and one of them now. */
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

  /** History that is gone concerns only those who still need it. */
  #broken(error: Error): void {
    const known = error instanceof CompactedError ? error.compactedRevision : Number.POSITIVE_INFINITY;
    // The first opens a stream at its position, which is behind none of those that follow.
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
