import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { WatchEvent } from '@coxswain/apimachinery/watch';
import type { WatchSession } from './watch-session.ts';

/**
 * What a reflector is doing:
 *
 * - `Idle`: `run` was not called yet.
 * - `Streaming`: a watch with `sendInitialEvents` is open. Its objects are gathered; the store still has its old state.
 *   Ends with the bookmark that says that they are complete: the store is replaced, and the same watch goes on.
 * - `Listing`: pages of a list are fetched, because the server cannot stream. Then the store is replaced.
 * - `Connecting`: the store is as of the last resource version, and a watch from there is asked for.
 * - `Watching`: a watch is open; every event goes to the store as it comes, and moves the last resource version.
 * - `BackingOff`: something failed. The store stays as it is until the wait is over; then on as before the failure, or from
 *   the beginning where that has become impossible.
 * - `Stopped`: the signal was aborted. For good.
 */
export type ReflectorState = 'Idle' | 'Streaming' | 'Listing' | 'Connecting' | 'Watching' | 'BackingOff' | 'Stopped';

/** A state with what it needs to begin. */
export type ReflectorStep<T extends KubernetesObject> =
  | { readonly state: 'Streaming' | 'Listing' | 'Connecting' }
  /** `rest`: events that came with the bookmark that ended the initial ones. */
  | { readonly state: 'Watching'; readonly session: WatchSession<T>; readonly rest: readonly WatchEvent<T>[] }
  | { readonly state: 'BackingOff'; readonly delayMs: number; readonly next: ReflectorStep<T> };
