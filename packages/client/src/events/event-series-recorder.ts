import type { ObjectReference } from '@coxswain/api/core/v1';
import type { Event, EventSeries } from '@coxswain/api/events/v1';
import { LruCache } from '@coxswain/apimachinery/cache';
import { type Clock, systemClock, type Timer } from '@coxswain/apimachinery/clock';
import { isAlreadyExists, isNotFound } from '@coxswain/apimachinery/errors';
import { type Logger, silentLogger } from '@coxswain/apimachinery/log';
import { microTimeFromDate } from '@coxswain/apimachinery/time';
import { systemRandom } from '@coxswain/apimachinery/random';
import { jitter } from '../wait/backoff.ts';
import type { EventClients } from './core-event-recorder.ts';
import { EventNames } from './event-names.ts';
import type { EventSubject, EventType, SubjectKind } from './event-recorder.ts';
import { EventWriter, type EventWriterOptions } from './event-writer.ts';
import { objectReference } from './object-reference.ts';

export interface EventSeriesRecorderOptions extends EventWriterOptions {
  /** The events.k8s.io/v1 events of a namespace, for example `clients.events.v1.events`. */
  readonly events: EventClients<Event>;
  /** The reporting controller, a qualified name: `kubernetes.io/kubelet`. */
  readonly reportingController: string;
  /** The host; the reporting instance is `<controller>-<host>`. */
  readonly host: string;
}

/** The content of an event. */
export interface Occurrence {
  readonly type: EventType;
  /** Why the action was taken, one word in UpperCamelCase. */
  readonly reason: string;
  /** The action, one word in UpperCamelCase. */
  readonly action: string;
  /** Human-readable description. */
  readonly note: string;
  /** A secondary object. */
  readonly related?: EventSubject;
  /** The kinds of the objects, when those have no apiVersion and kind. */
  readonly kind?: SubjectKind;
  readonly relatedKind?: SubjectKind;
}

/** A series without an event for this long has ended. Also the interval of the check. */
const finishMs = 6 * 60_000;
/** Running series are written again at every fifth check, so that their events do not expire. */
const ticksPerRefresh = 5;
/** Maximum number of cached series. */
const maxSeries = 4096;

interface Series {
  readonly key: string;
  /** The event as first written, without `series`. */
  readonly event: Event;
  count: number;
  lastObservedAt: number;
}

/**
 * Records events.k8s.io/v1 events. A second event of the same kind starts a series. Its count is written at the start,
 * every half hour, and when the series ends.
 */
export class EventSeriesRecorder {
  readonly #options: EventSeriesRecorderOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #names: EventNames;
  readonly #writer: EventWriter<Event>;
  readonly #series = new LruCache<string, Series>(maxSeries);
  /** Active only while there are series. */
  #timer: Timer | undefined;
  #ticks = 0;

  constructor(options: EventSeriesRecorderOptions) {
    const { retryDelayMs = 10_000, random = systemRandom.number } = options;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#names = new EventNames(this.#clock, options.reportingController);
    this.#writer = new EventWriter<Event>(
      {
        prepare: (event) => (signal) => this.#write(event, signal),
        delayMs: () => jitter(retryDelayMs, 0.25, random),
        describe: ({ metadata, reason }) => `${metadata.namespace}/${metadata.name} (${reason})`,
      },
      options,
    );
  }

  /** Records an event. Never throws and never blocks; events that cannot be written are logged and dropped. */
  event(regarding: EventSubject, occurrence: Occurrence): void {
    try {
      // As upstream: an event dropped because the queue is full is not counted in its series.
      if (this.#writer.admits(() => this.#eventOf(regarding, occurrence)))
        this.#record(this.#eventOf(regarding, occurrence));
    } catch (error) {
      const { type: eventType, reason, note } = occurrence;
      this.#logger.error('Could not construct event, will not report it', error, { eventType, reason, note });
    }
  }

  /** Resolves when all events recorded before are written or dropped. Rejects with the signal's reason. */
  flush(signal?: AbortSignal): Promise<void> {
    return this.#writer.flush(signal);
  }

  /**
   * Like `flush`, for shutdown: from now on failed writes are not retried, so that an unreachable server delays the
   * shutdown only briefly.
   */
  finish(signal?: AbortSignal): Promise<void> {
    return this.#writer.finish(signal);
  }

  /** Drops the events that are not written yet. Resolves when no request is in progress. */
  stop(): Promise<void> {
    this.#timer?.cancel();
    this.#series.clear();
    return this.#writer.stop();
  }

  #eventOf(regardingSubject: EventSubject, occurrence: Occurrence): Event {
    const { type, reason, action, note, related, kind, relatedKind } = occurrence;
    if (type !== 'Normal' && type !== 'Warning') throw new Error(`Unsupported event type: ${String(type)}`);
    const { reportingController, host } = this.#options;
    const regarding = objectReference(regardingSubject, { kind });
    return {
      metadata: { name: this.#names.next(regarding.name ?? ''), namespace: regarding.namespace || 'default' },
      eventTime: microTimeFromDate(new Date(this.#clock.now())),
      reportingController,
      reportingInstance: `${reportingController}-${host}`,
      action,
      reason,
      regarding,
      ...(related && { related: objectReference(related, { kind: relatedKind }) }),
      note,
      type,
    };
  }

  #record(event: Event): void {
    const now = this.#clock.now();
    const key = seriesKey(event);
    const known = this.#series.get(key);
    if (known) {
      known.count++;
      known.lastObservedAt = now;
      if (known.count === 2) this.#tell(known);
      return;
    }
    const pushedOut = this.#series.set(key, { key, event, count: 1, lastObservedAt: now });
    if (pushedOut && pushedOut.count > 1) this.#tell(pushedOut);
    this.#writer.enqueue(event);
    this.#timer ??= this.#clock.setTimeout(this.#onTick, finishMs, { background: true });
  }

  /** Writes the current count of a series. */
  #tell({ event, count, lastObservedAt }: Series): void {
    const series: EventSeries = { count, lastObservedTime: microTimeFromDate(new Date(lastObservedAt)) };
    this.#writer.enqueue({ ...event, series });
  }

  readonly #onTick = (): void => {
    const isRefresh = ++this.#ticks % ticksPerRefresh === 0;
    const finishedBefore = this.#clock.now() - finishMs;
    for (const [key, series] of this.#series.entries()) {
      const isFinished = series.lastObservedAt < finishedBefore;
      if (isFinished) this.#series.delete(key);
      if (series.count > 1 && (isFinished || isRefresh)) this.#tell(series);
    }
    this.#timer =
      this.#series.size > 0 ? this.#clock.setTimeout(this.#onTick, finishMs, { background: true }) : undefined;
  };

  async #write(event: Event, signal: AbortSignal): Promise<void> {
    const { metadata, series } = event;
    const events = this.#options.events(metadata.namespace ?? '');
    if (!series) {
      await events.create(event, { signal });
      return;
    }
    try {
      await events.patch(metadata.name ?? '', 'strategic-merge', { series }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await events.create(event, { signal }).catch((creationError: unknown) => {
        // The event was created concurrently: retry, so that it is patched.
        if (isAlreadyExists(creationError))
          throw new Error('the event was created meanwhile', { cause: creationError });
        throw creationError;
      });
    }
  }
}

/** Key of the events of one series: they differ only in time and note. */
function seriesKey({
  type,
  action,
  reason,
  reportingController,
  reportingInstance,
  regarding,
  related,
}: Event): string {
  return [type, action, reason, reportingController, reportingInstance, parts(regarding), parts(related)].join('\0');
}

function parts(reference: ObjectReference | undefined): string {
  const { kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath } = reference ?? {};
  return [kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath].join('\0');
}
