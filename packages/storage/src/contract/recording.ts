import type { KeyValue, Store, StoreEvent, Watch, WatchHandler } from '../store.ts';
import { text } from './store-under-test.ts';

/** A watch and all that came of it. */
export class Recording implements WatchHandler {
  readonly events: StoreEvent[] = [];
  readonly progress: number[] = [];
  /** One per call of onEnd: there must be one at most. */
  readonly ends: { readonly error: Error | undefined }[] = [];
  /** What broke the rules of delivery. */
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

  /** Waits until it holds, looking at it after every call. */
  until(condition: () => boolean): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ condition, resolve });
    });
  }

  /** Waits for so many events and gives them as sentences. */
  async lines(count: number): Promise<string[]> {
    await this.until(() => this.events.length >= count);
    return this.events.map(line);
  }

  /** Waits until all that happened before it was called has been delivered. */
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

/** An event as a sentence: `put /a@7 "x" created 5, was "w"@5`. */
export function line(event: StoreEvent): string {
  const now = event.type === 'put' ? ` ${shown(event.entry)} created ${event.entry.createRevision}` : '';
  const before = event.previous === undefined ? '' : `, was ${shown(event.previous)}@${event.previous.modRevision}`;
  return `${event.type} ${event.key}@${event.revision}${now}${before}`;
}

const shown = (entry: KeyValue) => JSON.stringify(text(entry.value));
