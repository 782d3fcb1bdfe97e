import { type Delta, DeltaFIFO } from './delta-fifo.ts';
import type { ResourceEventHandler } from './event-handler.ts';
import { SyncState } from './sync-state.ts';

/** A handler's place at an informer. */
export interface ResourceEventHandlerRegistration {
  /** Whether the handler has dealt with everything that was there at first. */
  hasSynced(): boolean;
  /** Resolves when it has; rejects with the signal's reason when that comes first, and when it never will any more. */
  whenSynced(signal?: AbortSignal): Promise<void>;
}

/** Brings changes to one handler, at its pace: one at a time, each after the last has been dealt with. */
export class ProcessorListener<T> implements ResourceEventHandlerRegistration {
  readonly #handler: ResourceEventHandler<T>;
  readonly #onError: (error: unknown) => void;
  readonly #queue: DeltaFIFO<T>;
  readonly #synced = new SyncState();
  /** While the handler is at work. */
  #pump: Promise<void> | undefined;
  /** The handler has synced when the change of this number is behind it. */
  #syncedAt: number | undefined;
  #isStopped = false;

  constructor(handler: ResourceEventHandler<T>, coalesceAbove: number, onError: (error: unknown) => void) {
    this.#handler = handler;
    this.#queue = new DeltaFIFO(coalesceAbove);
    this.#onError = onError;
  }

  hasSynced(): boolean {
    return this.#synced.isSynced;
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#synced.whenSynced(signal);
  }

  /** How many changes wait. */
  get pending(): number {
    return this.#queue.size;
  }

  push(delta: Delta<T>): void {
    if (this.#isStopped) return;
    this.#queue.push(delta);
    // Not at once: the cache is to have all of what came together before anyone hears of the first.
    this.#pump ??= Promise.resolve().then(() => this.#run());
  }

  /** All of the initial state has been pushed. */
  initialStateIsComplete(): void {
    this.#syncedAt = this.#queue.lastSequence;
    this.#checkSynced();
  }

  /** Nothing more comes to the handler. Resolves when the call that is under way, if any, has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#queue.clear();
    this.#synced.fail(new Error('the handler was removed, or the informer stopped, before the handler had synced'));
    await this.#pump;
  }

  async #run(): Promise<void> {
    for (let delta = this.#queue.shift(); delta; delta = this.#queue.shift()) {
      try {
        const working = this.#call(delta);
        // Handlers that return nothing are not made to wait for a turn of the loop.
        if (working) await working;
      } catch (error) {
        this.#onError(error);
      }
      if (!this.#synced.isSynced) this.#checkSynced(true);
    }
    this.#pump = undefined;
  }

  #call(delta: Delta<T>): void | Promise<void> {
    const handler = this.#handler;
    switch (delta.type) {
      case 'Added':
        return handler.onAdd?.(delta.object, delta.isInInitialList);
      case 'Updated':
        return handler.onUpdate?.(delta.old, delta.object);
      case 'Sync':
        return handler.onUpdate?.(delta.object, delta.object);
      case 'Deleted':
        return handler.onDelete?.(delta.object);
    }
  }

  #checkSynced(isIdle = this.#pump === undefined): void {
    if (this.#syncedAt === undefined || this.#isStopped) return;
    const next = this.#queue.nextSequence;
    if (next === undefined ? isIdle : next > this.#syncedAt) this.#synced.succeed();
  }
}
