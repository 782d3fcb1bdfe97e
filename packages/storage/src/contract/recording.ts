import type { KeyValue, Store, StoreEvent, Watch, WatchHandler } from '../store.ts';
import { text } from './store-under-test.ts';

/** A watch with a record of everything its handler received. */
export class Recording implements WatchHandler {
  readonly events: StoreEvent[] = [];
  readonly progress: number[] = [];
  /** One entry per call of onEnd. There must be at most one. */
  readonly ends: { readonly error: Error | undefined }[] = [];
  /** Violations of the handler's contract. */
  readonly faults: string[] = [];
  #watch: Watch | undefined;
  #waiting: { readonly condition: () => boolean; readonly resolve: () => void }[] = [];

  static start(store: Store, prefix: string, after: number): Recording {
    const recording = new Recording();
    recording.#watch = store.watch(prefix, after, recording);
    return recording;
  }

  get watch(): Watch {
    if (this.#watch === undefined) throw new Error('called before watch returned');
    return this.#watch;
  }

  onEvents(events: readonly StoreEvent[]): void {
    if (events.length === 0) this.faults.push('onEvents without events');
    this.#check('onEvents');
    this.events.push(...events);
    this.#wake();
  }

  onProgress(revision: number): void {
    this.#check('onProgress');
    this.progress.push(revision);
    this.#wake();
  }

  onEnd(error: Error | undefined): void {
    this.#check('onEnd');
    this.ends.push({ error });
    this.#wake();
  }

  /** Resolves when the condition holds. It is checked after every call of the handler. */
  until(condition: () => boolean): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ condition, resolve });
    });
  }

  /** Waits for `count` events and returns all as lines. */
  async lines(count: number): Promise<string[]> {
    await this.until(() => this.events.length >= count);
    return this.events.map(line);
  }

  /** Resolves when all changes before this call have been delivered. */
  async caughtUp(store: Store): Promise<void> {
    const revision = await store.currentRevision();
    this.watch.requestProgress();
    await this.until(() => this.progress.some((each) => each >= revision));
  }

  #check(call: string): void {
    if (this.#watch === undefined) this.faults.push(`${call} before watch returned`);
    if (this.ends.length > 0) this.faults.push(`${call} after onEnd`);
  }

  #wake(): void {
    const met = this.#waiting.filter(({ condition }) => condition());
    this.#waiting = this.#waiting.filter((each) => !met.includes(each));
    for (const { resolve } of met) resolve();
  }
}

/** Formats an event, for example `put /a@7 "x" created 5, was "w"@5`. */
export function line(event: StoreEvent): string {
  const now = event.type === 'put' ? ` ${shown(event.entry)} created ${event.entry.createRevision}` : '';
  const before = event.previous === undefined ? '' : `, was ${shown(event.previous)}@${event.previous.modRevision}`;
  return `${event.type} ${event.key}@${event.revision}${now}${before}`;
}

const shown = (entry: KeyValue) => JSON.stringify(text(entry.value));
