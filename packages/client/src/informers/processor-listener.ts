import { type Delta, DeltaFIFO } from './delta-fifo.ts';
import type { ResourceEventHandler } from './event-handler.ts';
import { SyncState } from './sync-state.ts';

/** The registration of a handler with an informer. */
export interface ResourceEventHandlerRegistration {
  /** Whether the handler has processed the initial state. */
  hasSynced(): boolean;
  /**
   * Resolves when the handler has processed the initial state. Rejects with the signal's reason, and when the handler
   * is removed or the informer stops before.
   */
  whenSynced(signal?: AbortSignal): Promise<void>;
}

/** Delivers changes to one handler sequentially: each call waits for the previous one to complete. */
export class ProcessorListener<T> implements ResourceEventHandlerRegistration {
  readonly #handler: ResourceEventHandler<T>;
  readonly #onError: (error: unknown) => void;
  readonly #queue: DeltaFIFO<T>;
  readonly #synced = new SyncState();
  /** The running delivery loop; undefined when it is idle. */
  #pump: Promise<void> | undefined;
  /** The handler has synced when the change with this sequence number has been processed. */
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

  /** Number of queued changes. */
  get pending(): number {
    return this.#queue.size;
  }

  push(delta: Delta<T>): void {
    if (this.#isStopped) return;
    this.#queue.push(delta);
    // Deferred, so that the cache has the whole batch before a handler gets its first event.
    this.#pump ??= Promise.resolve().then(() => this.#run());
  }

  /** To be called when all of the initial state has been pushed. */
  initialStateIsComplete(): void {
    this.#syncedAt = this.#queue.lastSequence;
    this.#checkSynced();
  }

  /** Stops the delivery. Resolves when the current call, if any, has completed. */
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
        // A handler that returns no promise does not cost a microtask.
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
