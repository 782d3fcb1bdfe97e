import type { Timer } from '@coxswain/apimachinery/clock';
import type { ResponseSink } from '@coxswain/component-base/http';
import type { WatchPacer } from './watch-pacer.ts';

/** A watcher that leaves more than this unread is cut off: it would have to list again anyway, and memory is for all. */
const maxQueuedBytes = 8 * 1024 * 1024;
/** So long a client has to take the rest when the watch has ended. */
const lingerMs = 10_000;
/** Frames are joined up to about this size before they are written. */
const writeBytes = 64 * 1024;

/**
 * The body of a watch. What the client does not take at once waits here, in bounds: beyond them the connection is cut,
 * and the client begins anew.
 */
export class WatchStream {
  readonly #sink: ResponseSink;
  readonly #onSent: (events: number, bytes: number) => void;
  readonly #onError: (error: unknown) => void;
  readonly #pacer: Pick<WatchPacer, 'clock' | 'isTooSoon' | 'schedule' | 'join'>;
  /** When something was last sent, or has been waiting since for others to come along. */
  #lastSent = Number.NEGATIVE_INFINITY;
  /** Frames that wait for the client; those of the initial events are made when it is their turn. */
  readonly #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #initial: Iterator<Uint8Array> | undefined;
  #onPoured: (() => void) | undefined;
  #blocked = false;
  #ending = false;
  #closed = false;
  #onClose: (() => void) | undefined;
  #linger: Timer | undefined;

  constructor(
    sink: ResponseSink,
    pacer: Pick<WatchPacer, 'clock' | 'isTooSoon' | 'schedule' | 'join'>,
    onSent: (events: number, bytes: number) => void,
    onError: (error: unknown) => void = () => {},
  ) {
    this.#sink = sink;
    this.#pacer = pacer;
    this.#onSent = onSent;
    this.#onError = onError;
    sink.onDrain(() => {
      this.#blocked = false;
      this.#flush();
    });
    sink.onClose(() => {
      this.#linger?.cancel();
      this.#close();
    });
  }

  /** Nothing that is written from now on is sent. */
  get closed(): boolean {
    return this.#closed || this.#ending;
  }

  /** Called once, when nothing can be written any more: it has ended, or the client is gone. */
  onClose(callback: () => void): void {
    this.#onClose = callback;
  }

  /**
   * Sends what may be much, before everything that is written later, no faster than it is taken. `onPoured` hears when
   * that is done; not when the client goes before.
   */
  pour(frames: Iterator<Uint8Array>, events: number, onPoured?: () => void): void {
    this.#initial = frames;
    this.#onPoured = onPoured;
    if (events > 0) this.#onSent(events, 0);
    this.#flush();
  }

  write(frames: Uint8Array, events: number): void {
    if (this.#closed || this.#ending) return;
    this.#onSent(events, frames.length);
    if (!this.#blocked && !this.#initial && this.#queue.length === 0) {
      if (!this.#pacer.isTooSoon(this.#lastSent)) {
        this.#lastSent = this.#pacer.clock.monotonic();
        this.#blocked = !this.#sink.write(frames);
        return;
      }
      this.#pacer.schedule(this.#flushPaced);
    }
    this.#queuedBytes += frames.length;
    this.#queue.push(frames);
    if (this.#queuedBytes > maxQueuedBytes) this.#cut();
  }

  readonly #flushPaced = (): void => {
    this.#lastSent = this.#pacer.clock.monotonic();
    this.#flush();
  };

  /** Ends properly, after what has been written. A client that does not take it is cut off after a while. */
  end(): void {
    if (this.#closed || this.#ending) return;
    this.#ending = true;
    this.#linger = this.#pacer.clock.setTimeout(() => this.#sink.destroy(), lingerMs, { background: true });
    this.#flush();
    this.#left();
  }

  #flush(): void {
    while (!this.#blocked && !this.#closed) {
      let chunk: Uint8Array | undefined;
      try {
        chunk = this.#nextChunk();
      } catch (error) {
        // Nobody is above this who could answer: a client that took something has called.
        this.#onError(error);
        this.#cut();
        return;
      }
      if (!chunk) {
        if (this.#ending) {
          this.#closed = true;
          this.#sink.end();
        }
        return;
      }
      this.#blocked = !this.#sink.write(chunk);
    }
  }

  #nextChunk(): Uint8Array | undefined {
    if (this.#initial) {
      const { value, done } = this.#initial.next();
      if (!done) return value;
      this.#initial = undefined;
      this.#onPoured?.();
    }
    const frames: Uint8Array[] = [];
    let length = 0;
    while (length < writeBytes) {
      const frame = this.#queue.shift();
      if (!frame) break;
      frames.push(frame);
      length += frame.length;
    }
    this.#queuedBytes -= length;
    return frames.length > 1 ? this.#pacer.join(frames) : frames[0];
  }

  #cut(): void {
    this.#close();
    this.#sink.destroy();
  }

  #close(): void {
    this.#closed = true;
    this.#queue.length = 0;
    this.#initial = undefined;
    this.#left();
  }

  #left(): void {
    const callback = this.#onClose;
    this.#onClose = undefined;
    callback?.();
  }
}
