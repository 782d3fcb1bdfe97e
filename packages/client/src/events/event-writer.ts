import { type Clock, sleep, systemClock } from '@coxswain/apimachinery/clock';
import { ApiError, hasStatusCause, isAlreadyExists } from '@coxswain/apimachinery/errors';
import { type Logger, silentLogger } from '@coxswain/apimachinery/log';
import { type Counter, type Metrics, noMetrics } from '../observe/metrics.ts';

/** What recorders have in common. */
export interface EventWriterOptions {
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** As many events wait to be written; more are dropped. 1000 by default. */
  readonly queueSize?: number;
  /** Between tries when the server cannot be reached. 10 s by default. */
  readonly retryDelayMs?: number;
}

const maxTriesPerEvent = 12;
/** Released places at the front are given back when there are so many, and as many as others. */
const minReleased = 1024;

/** Why an event was never written. */
type DropReason = 'queue_full' | 'spam' | 'rejected' | 'unreachable' | 'stopped';

/** One try to write an event. Rejects with what went wrong. */
export type WriteEvent = (signal: AbortSignal) => Promise<void>;

export interface EventHandling<E> {
  /** What has to be written for an event; undefined when nothing has to. */
  prepare(event: E): WriteEvent | undefined;
  /** How long to wait after so many tries. */
  delayMs(tries: number): number;
  /** For messages: which one. */
  describe(event: E): string;
}

/**
 * Writes events one after the other, in the order of recording, each as often as it takes to reach the server. What the
 * server refuses is not tried again. Nothing here waits for the server but the events themselves.
 */
export class EventWriter<E> {
  readonly #handling: EventHandling<E>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #queueSize: number;
  readonly #drops: Counter;
  /** No longer than `#queueSize`, but for the places of what is handled already, which are released. */
  #queue: (E | undefined)[] = [];
  /** Where the next one is. To shift the others would be work for each of them. */
  #next = 0;
  readonly #stopped = new AbortController();
  /** Aborted when nothing is tried again: what waits for its next try has it at once, and it is the last. */
  readonly #finishing = new AbortController();
  /** Settles when the queue is empty; undefined when it is. */
  #running: Promise<void> | undefined;
  /** How many were dropped since the last that was not, because the queue was full. */
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
      help: 'Events that were recorded and never written, by why.',
      labels: ['reason'],
    });
  }

  get isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  /**
   * Whether another event can be taken now; one that cannot counts as dropped. `event` makes it where it has to be named: so it need
   * not be made only to be dropped.
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

  /** Resolves when all that was recorded before is written or given up. */
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

  /** The same, when there is no time to wait for a server that cannot be reached: nothing is tried twice from now on. */
  finish(signal?: AbortSignal): Promise<void> {
    this.#finishing.abort();
    return this.flush(signal);
  }

  /** Drops what is not written yet, and resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#finishing.abort();
    await this.#running;
  }

  /** To name each of thousands that come one after the other would take more work than to write some of them. */
  #tellOfDropped(): void {
    const more = this.#untold - 1;
    this.#untold = 0;
    if (more > 0) {
      this.#logger.error('Unable to record event: too many queued events, dropped more', undefined, { count: more });
    }
  }

  async #run(): Promise<void> {
    // Whoever records goes on first.
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
        // Who is woken tries once more.
        await sleep(this.#clock, this.#handling.delayMs(tries), this.#finishing.signal).catch(() => {});
        signal.throwIfAborted();
      }
    } catch (error) {
      if (signal.aborted) this.#giveUp(event, 'stopped', 'Unable to write event (recorder is stopped)');
      else this.#giveUp(event, 'rejected', 'Unable to write event', error);
    }
  }

  /** Whether it was written, or never will be. */
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
    // Differs from upstream: to be stopped is no failure.
    if (reason === 'stopped') this.#logger.info(message, fields);
    else this.#logger.error(message, error, fields);
  }
}

/** The server has said no, or the request cannot even be made: another try would end the same. */
const isFinal = (error: unknown): boolean =>
  error instanceof ApiError || error instanceof TypeError || error instanceof RangeError;

/** In the ordinary course of things. */
const isExpected = (error: unknown): boolean => isAlreadyExists(error) || hasStatusCause(error, 'NamespaceTerminating');
