import { ApiError } from '@coxswain/apimachinery/errors';
import { isWatchEvent, type WatchEvent } from '@coxswain/apimachinery/watch';
import type { ResponseBody } from '../transport/transport.ts';
import type { Watch, WatchEnd } from './watch.ts';

/** An event longer than this is not waited for. */
const longestEventBytes = 16 * 1024 * 1024;
const lineBreak = 0x0a;

/** A watch whose events come as JSON texts, one in a line. */
export class JsonWatch<T> implements Watch<T> {
  readonly ended: Promise<WatchEnd>;
  readonly #body: ResponseBody;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #signal: AbortSignal | undefined;
  readonly #decoder = new TextDecoder();
  /** Pieces of a line whose end has not come yet. */
  #partial: Uint8Array[] = [];
  #partialBytes = 0;
  #isOver = false;
  #end!: (end: WatchEnd) => void;

  constructor(body: ResponseBody, signal?: AbortSignal) {
    this.#body = body;
    this.#signal = signal;
    this.#chunks = body.chunks()[Symbol.asyncIterator]();
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  async nextBatch(): Promise<readonly WatchEvent<T>[] | undefined> {
    while (!this.#isOver) {
      let result: IteratorResult<Uint8Array>;
      try {
        result = await this.#chunks.next();
      } catch (error) {
        if (!this.#isOver) this.#finish(this.#signal?.aborted ? { reason: 'stopped' } : broken(error));
        return undefined;
      }
      if (this.#isOver) return undefined;
      if (result.done) {
        this.#finish(
          this.#signal?.aborted
            ? { reason: 'stopped' }
            : this.#partialBytes > 0
              ? broken(new Error('the watch was cut off in the middle of an event'))
              : { reason: 'closed' },
        );
        return undefined;
      }
      const events = this.#read(result.value);
      if (events.length > 0) return events;
    }
    return undefined;
  }

  stop(): void {
    if (this.#isOver) return;
    this.#finish({ reason: 'stopped' });
  }

  async *[Symbol.asyncIterator](): AsyncIterator<WatchEvent<T>> {
    try {
      for (let batch = await this.nextBatch(); batch; batch = await this.nextBatch()) yield* batch;
    } finally {
      this.stop();
    }
  }

  /** The events that the chunk completes. Ends the watch at the first that says so. */
  #read(chunk: Uint8Array): WatchEvent<T>[] {
    const events: WatchEvent<T>[] = [];
    let start = 0;
    for (let end = chunk.indexOf(lineBreak); end !== -1; end = chunk.indexOf(lineBreak, start)) {
      const line = this.#line(chunk.subarray(start, end));
      start = end + 1;
      if (line.trim() === '') continue;
      const event = parsed(line);
      if (event instanceof Error) {
        this.#finish(broken(event));
        return events;
      }
      if (event.type === 'ERROR') {
        this.#finish({ reason: 'status', error: new ApiError(event.object) });
        return events;
      }
      events.push(event as WatchEvent<T>);
    }
    if (start < chunk.length) {
      this.#partial.push(chunk.subarray(start));
      this.#partialBytes += chunk.length - start;
      if (this.#partialBytes > longestEventBytes) this.#finish(broken(new Error('an event is longer than any object')));
    }
    return events;
  }

  #line(last: Uint8Array): string {
    if (this.#partialBytes === 0) return this.#decoder.decode(last);
    const whole = new Uint8Array(this.#partialBytes + last.length);
    let offset = 0;
    for (const piece of this.#partial) {
      whole.set(piece, offset);
      offset += piece.length;
    }
    whole.set(last, offset);
    this.#partial = [];
    this.#partialBytes = 0;
    return this.#decoder.decode(whole);
  }

  #finish(end: WatchEnd): void {
    this.#isOver = true;
    this.#partial = [];
    this.#end(end);
    this.#body.cancel();
  }
}

function parsed(line: string): WatchEvent | Error {
  try {
    const event: unknown = JSON.parse(line);
    return isWatchEvent(event) ? event : new Error('the watch brought something that is no event');
  } catch (error) {
    return new Error('the watch brought something that is no event', { cause: error });
  }
}

const broken = (error: unknown): WatchEnd => ({
  reason: 'broken',
  error: error instanceof Error ? error : new Error(String(error)),
});
