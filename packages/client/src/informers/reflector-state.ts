import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { WatchEvent } from '@coxswain/apimachinery/watch';
import type { WatchSession } from './watch-session.ts';

/**
 * What a reflector is doing:
 *
 * - `Idle`: `run` was not called yet.
 * - `Streaming`: a watch with `sendInitialEvents` is open. Its objects are collected; the store still has its old state.
 *   Ends with the bookmark after the initial events: the store is replaced, and the same watch continues.
 * - `Listing`: pages of a list are fetched, because the server cannot stream. Then the store is replaced.
 * - `Connecting`: the store has the state of the last resource version, and a watch from there is requested.
 * - `Watching`: a watch is open; every event is applied to the store and advances the last resource version.
 * - `BackingOff`: a request failed. The store is unchanged during the delay. Then the reflector continues where it was, or
 *   starts over when that is impossible.
 * - `Stopped`: the signal was aborted. This state is final.
 */
export type ReflectorState = 'Idle' | 'Streaming' | 'Listing' | 'Connecting' | 'Watching' | 'BackingOff' | 'Stopped';

/** A state with its parameters. */
export type ReflectorStep<T extends KubernetesObject> =
  | { readonly state: 'Streaming' | 'Listing' | 'Connecting' }
  /** `rest` holds the events that were received together with the bookmark after the initial events. */
  | { readonly state: 'Watching'; readonly session: WatchSession<T>; readonly rest: readonly WatchEvent<T>[] }
  | { readonly state: 'BackingOff'; readonly delayMs: number; readonly next: ReflectorStep<T> };
