import type { Received } from './caller.ts';

/** Reads the events of a watch: one JSON document per line. */
export class EventReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #text = '';

  constructor({ body }: Received) {
    this.#chunks = body[Symbol.asyncIterator]();
  }

  /** Reads `count` events, or all until the end. Throws when the watch ends too early. */
  async read(count = Number.POSITIVE_INFINITY): Promise<unknown[]> {
    const events: unknown[] = [];
    while (events.length < count) {
      const end = this.#text.indexOf('\n');
      if (end >= 0) {
        events.push(JSON.parse(this.#text.slice(0, end)));
        this.#text = this.#text.slice(end + 1);
        continue;
      }
      const next = await this.#chunks.next();
      if (next.done) {
        if (count === Number.POSITIVE_INFINITY) return events;
        throw new Error(`the watch ended after ${events.length} of ${count} events`);
      }
      this.#text += Buffer.from(next.value).toString();
    }
    return events;
  }
}
