import { type Clock, sleep, systemClock } from '@coxswain/apimachinery/clock';
import { ApiError, hasStatusCause, isAlreadyExists } from '@coxswain/apimachinery/errors';
import { type Logger, silentLogger } from '@coxswain/apimachinery/log';
import { type Counter, type Metrics, noMetrics } from '../observe/metrics.ts';

/** Options of all recorders. */
export interface EventWriterOptions {
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** Maximum number of queued events; more are dropped. 1000 by default. */
  readonly queueSize?: number;
  /** Delay between tries when the server cannot be reached. 10 s by default. */
  readonly retryDelayMs?: number;
}

const maxTriesPerEvent = 12;
/** The queue array is compacted when its front has this many released slots and they make up at least half of it. */
const minReleased = 1024;

/** Why an event was not written: the metric's label. */
type DropReason = 'queue_full' | 'spam' | 'rejected' | 'unreachable' | 'stopped';

/** Makes one attempt to write an event. Rejects when it fails. */
export type WriteEvent = (signal: AbortSignal) => Promise<void>;

export interface EventHandling<E> {
  /** Returns the write for an event; undefined when nothing has to be written. */
  prepare(event: E): WriteEvent | undefined;
  /** The delay after this number of tries. */
  delayMs(tries: number): number;
  /** Identifies the event in log messages. */
  describe(event: E): string;
}

/**
 * Writes events one at a time, in the order of recording. Retries while the server cannot be reached, but not when it
 * rejects an event. Recording never waits for the server.
 */
export class EventWriter<E> {
  readonly #handling: EventHandling<E>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #queueSize: number;
  readonly #drops: Counter;
  /** Queued events from index `#next` on, at most `#queueSize`. The slots before that are released (undefined). */
  #queue: (E | undefined)[] = [];
  /** Index of the next event. An index avoids shifting the array for each event. */
  #next = 0;
  readonly #stopped = new AbortController();
  /** Aborted by `finish`: ends the current delay, and the next try of each event is its last. */
  readonly #finishing = new AbortController();
  /** The loop that writes the queue, settled when that is empty; undefined when it is not running. */
  #running: Promise<void> | undefined;
  /** Number of events dropped since the last accepted one because the queue was full. */
  #untold = 0;
  #accepted = 0;
  #handled = 0;
  #flushes: { readonly at: number; readonly resolve: () => void }[] = [];

  constructor(handling: EventHandling<E>, options: EventWriterOptions) {
    this.#handling = handling;
    this.#clock = options.clock ?? systemClock;
    this.#logger = (options.logger ?? silentLogger).named('events');
    this.#queueSize = options.queueSize ?? 1000;
    this.#drops = (options.metrics ?? noMetrics).counter({
      name: 'event_recorder_dropped_total',
      help: 'Number of recorded events that were never written, by reason.',
      labels: ['reason'],
    });
  }

  get isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  /**
   * Whether another event can be queued now. If not, counts it as dropped. `event` creates it for the log message, so
   * that callers need not create events that are dropped.
   */
  admits(event: () => E): boolean {
    if (this.isStopped) {
      this.drop('stopped');
      return false;
    }
    if (this.#queue.length - this.#next < this.#queueSize) return true;
    this.drop('queue_full');
    if (this.#untold++ === 0) {
      const which = this.#handling.describe(event());
      this.#logger.error('Unable to record event: too many queued events, dropped event', undefined, { event: which });
    }
    return false;
  }

  enqueue(event: E): void {
    if (this.admits(() => event)) {
      this.#tellOfDropped();
      this.#queue.push(event);
      this.#accepted++;
      this.#running ??= this.#run();
    }
  }

  drop(reason: DropReason): void {
    this.#drops.add(1, reason);
  }

  /** Resolves when all events recorded before are written or dropped. */
  flush(signal?: AbortSignal): Promise<void> {
    if (this.#handled === this.#accepted) return Promise.resolve();
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = (): void => reject(signal!.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      const done = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      this.#flushes.push({ at: this.#accepted, resolve: done });
    });
  }

  /** Like `flush`, for shutdown: from now on failed writes are not retried. */
  finish(signal?: AbortSignal): Promise<void> {
    this.#finishing.abort();
    return this.flush(signal);
  }

  /** Drops the events that are not written yet. Resolves when no request is in progress. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#finishing.abort();
    await this.#running;
  }

  /** Logs how many more events were dropped. Naming each of thousands would cost more than writing some of them. */
  #tellOfDropped(): void {
    const more = this.#untold - 1;
    this.#untold = 0;
    if (more > 0) {
      this.#logger.error('Unable to record event: too many queued events, dropped more', undefined, { count: more });
    }
  }

  async #run(): Promise<void> {
    // The recording caller continues first.
    await Promise.resolve();
    for (let event = this.#shift(); event !== undefined; event = this.#shift()) {
      if (this.isStopped) this.drop('stopped');
      else await this.#handle(event);
      this.#handled++;
      if (this.#flushes.length > 0) this.#settleFlushes();
    }
    this.#running = undefined;
  }

  #settleFlushes(): void {
    this.#flushes = this.#flushes.filter(({ at, resolve }) => {
      if (at <= this.#handled) resolve();
      return at > this.#handled;
    });
  }

  #shift(): E | undefined {
    if (this.#next >= minReleased && this.#next >= this.#queue.length / 2) {
      this.#queue = this.#queue.slice(this.#next);
      this.#next = 0;
    }
    const event = this.#queue[this.#next];
    if (event !== undefined) this.#queue[this.#next++] = undefined;
    else {
      this.#queue = [];
      this.#next = 0;
    }
    return event;
  }

  async #handle(event: E): Promise<void> {
    const { signal } = this.#stopped;
    try {
      const write = this.#handling.prepare(event);
      for (let tries = 1; write; tries++) {
        if (await this.#isSettled(event, write)) return;
        const isLast = tries >= maxTriesPerEvent || this.#finishing.signal.aborted;
        if (isLast) return this.#giveUp(event, 'unreachable', 'Unable to write event (retry limit exceeded!)');
        // When `finish` ends the delay, the event is tried once more.
        await sleep(this.#clock, this.#handling.delayMs(tries), this.#finishing.signal).catch(() => {});
        signal.throwIfAborted();
      }
    } catch (error) {
      if (signal.aborted) this.#giveUp(event, 'stopped', 'Unable to write event (recorder is stopped)');
      else this.#giveUp(event, 'rejected', 'Unable to write event', error);
    }
  }

  /** Returns true when the event was written or rejected, false when a retry makes sense. */
  async #isSettled(event: E, write: WriteEvent): Promise<boolean> {
    const { signal } = this.#stopped;
    const which = this.#handling.describe(event);
    try {
      await write(signal);
      return true;
    } catch (error) {
      if (signal.aborted) throw error;
      if (isFinal(error)) {
        this.drop('rejected');
        const message = 'Server rejected event (will not retry!)';
        if (isExpected(error)) this.#logger.info(message, { event: which, err: error });
        else this.#logger.error(message, error, { event: which });
        return true;
      }
      this.#logger.error('Unable to write event (may retry after sleeping)', error, { event: which });
      return false;
    }
  }

  #giveUp(event: E, reason: DropReason, message: string, error?: unknown): void {
    this.drop(reason);
    const fields = { event: this.#handling.describe(event) };
    // Differs from upstream: being stopped is not a failure.
    if (reason === 'stopped') this.#logger.info(message, fields);
    else this.#logger.error(message, error, fields);
  }
}

/** The server rejected the request, or the request cannot be built: a retry would fail the same way. */
const isFinal = (error: unknown): boolean =>
  error instanceof ApiError || error instanceof TypeError || error instanceof RangeError;

/** Rejections that occur in normal operation. */
const isExpected = (error: unknown): boolean => isAlreadyExists(error) || hasStatusCause(error, 'NamespaceTerminating');
