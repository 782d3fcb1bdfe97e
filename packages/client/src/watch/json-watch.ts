import { onAbort } from '@coxswain/apimachinery/abort';
import { ApiError } from '@coxswain/apimachinery/errors';
import { isWatchEvent, type WatchEvent } from '@coxswain/apimachinery/watch';
import { type CacheNeeds, EventReader, parseLine } from '../lazy-objects/index.ts';
import type { ResponseBody } from '../transport/transport.ts';
import { PartialLine } from './partial-line.ts';
import type { Watch, WatchEnd } from './watch.ts';

/** Maximum length of an event. */
const longestEventBytes = 16 * 1024 * 1024;
const lineBreak = 0x0a;

/**
 * A watch with one JSON event per line. Events and the end of the watch are noticed only by reading: until then they
 * remain in the connection. `stop` and the signal end it at once.
 */
export class JsonWatch<T> implements Watch<T> {
  readonly ended: Promise<WatchEnd>;
  readonly #body: ResponseBody;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #unlink: () => void;
  readonly #reader = new EventReader();
  /** An incomplete line. */
  readonly #partial = new PartialLine();
  #isOver = false;
  #end!: (end: WatchEnd) => void;

  constructor(body: ResponseBody, signal?: AbortSignal) {
    this.#body = body;
    this.#chunks = body.chunks({ borrowed: true })[Symbol.asyncIterator]();
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#unlink = onAbort(signal, () => this.stop());
    if (signal?.aborted) this.stop();
  }

  async nextBatch(): Promise<readonly WatchEvent<T>[] | undefined> {
    // After this the buffer of the last chunk may be reused.
    this.#reader.keepUnread();
    while (!this.#isOver) {
      let result: IteratorResult<Uint8Array>;
      try {
        result = await this.#chunks.next();
      } catch (error) {
        this.#finish(broken(error));
        return undefined;
      }
      if (this.#isOver) return undefined;
      const events: WatchEvent<T>[] = [];
      if (result.done) this.#readEnd(events);
      else this.#read(result.value, events);
      if (events.length > 0) return events;
    }
    return undefined;
  }

  stop(): void {
    this.#finish({ reason: 'stopped' });
  }

  feed(cache: CacheNeeds): void {
    this.#reader.feed(cache);
  }

  async *[Symbol.asyncIterator](): AsyncIterator<WatchEvent<T>> {
    try {
      for (let batch = await this.nextBatch(); batch; batch = await this.nextBatch()) yield* batch;
    } finally {
      this.stop();
    }
  }

  /** Adds the events that the chunk completes. Ends the watch at an invalid line or an ERROR event. */
  #read(chunk: Uint8Array, events: WatchEvent<T>[]): void {
    const last = chunk.lastIndexOf(lineBreak);
    if (last === -1) {
      this.#keep(chunk);
      return;
    }
    let start = 0;
    if (this.#partial.length > 0) {
      start = chunk.indexOf(lineBreak) + 1;
      this.#partial.add(chunk.subarray(0, start - 1));
      if (!this.#add(this.#partial.take(), events)) return;
    }
    while (start <= last) {
      const end = chunk.indexOf(lineBreak, start);
      if (!this.#add(chunk.subarray(start, end), events)) return;
      start = end + 1;
    }
    this.#keep(chunk.subarray(last + 1));
  }

  /** The last line need not end with a newline. */
  #readEnd(events: WatchEvent<T>[]): void {
    const line = this.#partial.take();
    if (!isBlank(line) && !isWatchEvent(parseLine(line))) {
      this.#finish(broken(new Error('the watch was cut off in the middle of an event')));
    } else if (this.#add(line, events)) this.#finish({ reason: 'closed' });
  }

  /** Adds the event of a line. Returns false when the watch has ended. */
  #add(line: Uint8Array, events: WatchEvent<T>[]): boolean {
    // Proxies send empty lines as keep-alives.
    if (line.length < 2 && isBlank(line)) return true;
    const event = this.#reader.read(line);
    if (!event) {
      if (isBlank(line)) return true;
      // The parser's error would quote the text, which may be secret.
      this.#finish(broken(new Error('the watch sent a line that is not an event')));
      return false;
    }
    if (event.type === 'ERROR') {
      this.#finish({ reason: 'status', error: new ApiError(event.object) });
      return false;
    }
    events.push(event as WatchEvent<T>);
    return true;
  }

  #keep(piece: Uint8Array): void {
    this.#partial.add(piece);
    if (this.#partial.length > longestEventBytes) this.#finish(broken(new Error('a watch event is too long')));
  }

  #finish(end: WatchEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reader.keepUnread();
    this.#partial.clear();
    this.#unlink();
    this.#end(end);
    this.#body.cancel();
  }
}

const isBlank = (line: Uint8Array): boolean => line.every((byte) => byte <= 0x20);

const broken = (error: unknown): WatchEnd => ({
  reason: 'broken',
  error: error instanceof Error ? error : new Error(String(error)),
});
