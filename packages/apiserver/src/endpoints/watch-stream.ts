import type { Timer } from '@coxswain/apimachinery/clock';
import type { ResponseSink } from '@coxswain/component-base/http';
import type { WatchPacer } from './watch-pacer.ts';

/** The limit of bytes queued for one watcher. Above it the connection is closed, to bound memory; the client lists again. */
const maxQueuedBytes = 8 * 1024 * 1024;
/** The time in which a client must read the rest after the watch has ended. */
const lingerMs = 10_000;
/** Queued frames are concatenated to chunks of about this size. */
const writeBytes = 64 * 1024;

/**
 * The body of a watch response. Frames that the client does not read at once are queued up to `maxQueuedBytes`. Above that the
 * connection is closed, and the client has to start a new watch.
 */
export class WatchStream {
  readonly #sink: ResponseSink;
  readonly #onSent: (events: number, bytes: number) => void;
  readonly #onError: (error: unknown) => void;
  readonly #pacer: Pick<WatchPacer, 'clock' | 'isTooSoon' | 'schedule' | 'join'>;
  /** The monotonic time of the last write, or of the last paced flush. */
  #lastSent = Number.NEGATIVE_INFINITY;
  /** Frames to be sent after `#initial`. */
  readonly #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  /** Chunks of the initial events, made one at a time as the client reads. */
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

  /** True when further writes are ignored. */
  get closed(): boolean {
    return this.#closed || this.#ending;
  }

  /** `callback` is called once, when nothing can be written any more: the watch has ended, or the client has disconnected. */
  onClose(callback: () => void): void {
    this.#onClose = callback;
  }

  /**
   * Sends the initial events before everything that is written later. Takes frames from the iterator no faster than the client
   * reads. Calls `onPoured` when all are sent, but not when the client disconnects before that.
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

  /** Ends the response after what has been written. Closes the connection if the client does not read that within `lingerMs`. */
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
        // This may run in a drain event, where no caller could handle the error.
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
