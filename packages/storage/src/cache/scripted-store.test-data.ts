import { CompactedError, FutureRevisionError, StoreClosedError } from '../errors.ts';
import type {
  DeleteOptions,
  GetResult,
  KeyValue,
  ListOptions,
  ListResult,
  PutOptions,
  ReadOptions,
  Store,
  StoreEvent,
  Watch,
  WatchHandler,
  WriteResult,
} from '../store.ts';

interface Watching extends Watch {
  readonly prefix: string;
  readonly handler: WatchHandler;
  position: number;
}

/** A store in memory whose faults a test controls: broken watches, unavailability, events and progress held back. */
export class ScriptedStore implements Store {
  readonly driver = 'etcd';
  /** While set, reads and watches fail with this error. */
  failure: Error | undefined;
  holdEvents = false;
  holdProgress = false;
  /** Called when `currentRevision` is read. */
  onRead: () => void = () => {};
  /** The start revisions of all watches. */
  readonly watchedFrom: number[] = [];
  readonly #history: StoreEvent[] = [];
  readonly #watches = new Set<Watching>();
  #revision = 1;
  #compacted = 1;
  #closed = false;

  get revision(): number {
    return this.#revision;
  }

  get watches(): number {
    return this.#watches.size;
  }

  async checkWritable(): Promise<void> {
    this.#check();
  }

  async currentRevision(): Promise<number> {
    this.onRead();
    this.#check();
    return this.#revision;
  }

  async compactedRevision(): Promise<number> {
    this.#check();
    return this.#compacted;
  }

  async get(key: string, options?: ReadOptions): Promise<GetResult> {
    this.#check(options?.revision);
    return { entry: this.state(options?.revision).get(key), revision: this.#revision };
  }

  async list(prefix: string, { revision, limit = Infinity, from = '' }: ListOptions = {}): Promise<ListResult> {
    this.#check(revision);
    const found = [...this.state(revision).values()]
      .filter(({ key }) => key.startsWith(prefix) && key >= from)
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    const entries = found.slice(0, limit);
    return { entries, revision: this.#revision, remaining: found.length - entries.length };
  }

  async count(prefix: string): Promise<number> {
    return (await this.list(prefix)).entries.length;
  }

  async put(key: string, value: Uint8Array, { expected, note }: PutOptions): Promise<WriteResult> {
    const previous = this.state().get(key);
    if ((previous?.modRevision ?? 0) !== expected) return { ok: false, current: previous, revision: this.#revision };
    this.write({ [key]: new TextDecoder().decode(value) }, note);
    return { ok: true, revision: this.#revision };
  }

  async delete(key: string, { expected, note }: DeleteOptions): Promise<WriteResult> {
    const previous = this.state().get(key);
    if (previous?.modRevision !== expected) return { ok: false, current: previous, revision: this.#revision };
    this.write({ [key]: undefined }, note);
    return { ok: true, revision: this.#revision };
  }

  /** Writes without preconditions, as one batch of events; undefined deletes the key. */
  write(changes: Record<string, string | undefined>, note?: unknown): void {
    const state = this.state();
    for (const [key, text] of Object.entries(changes)) {
      const previous = state.get(key);
      if (text === undefined && previous === undefined) continue;
      const revision = ++this.#revision;
      if (text === undefined) {
        this.#history.push({ type: 'delete', key, previous, revision, note });
        continue;
      }
      const createRevision = previous?.createRevision ?? revision;
      const entry = { key, value: new TextEncoder().encode(text), createRevision, modRevision: revision };
      this.#history.push({ type: 'put', key, entry, previous, revision, note });
      state.set(key, entry);
    }
    this.deliver();
  }

  /** Delivers the events that were held back. */
  deliver(): void {
    if (!this.holdEvents) for (const watching of this.#watches) this.#deliverTo(watching);
  }

  /** Delivers up to `count` of the events that were held back, to each watch. */
  deliverSome(count: number): void {
    for (const watching of this.#watches) this.#deliverTo(watching, count);
  }

  watch(prefix: string, after: number, handler: WatchHandler): Watch {
    this.#check();
    this.watchedFrom.push(after);
    const watching: Watching = {
      prefix,
      handler,
      position: after,
      requestProgress: () => {
        if (this.holdProgress || this.holdEvents) return;
        queueMicrotask(() => {
          if (!this.#watches.has(watching)) return;
          this.#deliverTo(watching);
          handler.onProgress?.(this.#revision);
        });
      },
      stop: () => this.#end(watching, undefined),
    };
    this.#watches.add(watching);
    queueMicrotask(() => {
      if (after < this.#compacted) this.#end(watching, new CompactedError(after, this.#compacted));
      else this.deliver();
    });
    return watching;
  }

  async compact(revision: number): Promise<void> {
    this.#compacted = Math.max(this.#compacted, revision);
  }

  /** Ends all watches. Events in the meantime are not lost, unless they are compacted. */
  breakWatches(error: Error | undefined): void {
    for (const watching of this.#watches) this.#end(watching, error);
  }

  /** Sends the events to every watch, whatever their revisions. */
  sendRaw(events: readonly StoreEvent[]): void {
    for (const { handler } of this.#watches) handler.onEvents(events);
  }

  /** Goes back to the state at a revision, like a restore from a backup. */
  restore(revision: number): void {
    this.#history.splice(this.#history.findIndex((event) => event.revision > revision));
    this.#revision = revision;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.breakWatches(undefined);
  }

  /** Returns the state at the revision, also when it is compacted. */
  state(revision = this.#revision): Map<string, KeyValue> {
    const state = new Map<string, KeyValue>();
    for (const event of this.#history) {
      if (event.revision > revision) break;
      if (event.type === 'put') state.set(event.key, event.entry);
      else state.delete(event.key);
    }
    return state;
  }

  #deliverTo(watching: Watching, count = Infinity): void {
    const waiting = this.#history.filter(
      ({ key, revision }) => revision > watching.position && key.startsWith(watching.prefix),
    );
    const events = waiting.slice(0, count);
    const reached = events.length < waiting.length ? (events.at(-1)?.revision ?? 0) : this.#revision;
    watching.position = Math.max(watching.position, reached);
    if (events.length > 0) watching.handler.onEvents(events);
  }

  #end(watching: Watching, error: Error | undefined): void {
    if (this.#watches.delete(watching)) watching.handler.onEnd?.(error);
  }

  #check(revision = this.#revision): void {
    if (this.#closed) throw new StoreClosedError();
    if (this.failure !== undefined) throw this.failure;
    if (revision < this.#compacted) throw new CompactedError(revision, this.#compacted);
    if (revision > this.#revision) throw new FutureRevisionError(revision, this.#revision);
  }
}
