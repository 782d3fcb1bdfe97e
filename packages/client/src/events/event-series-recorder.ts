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
  /** Who tells, as a qualified name: `kubernetes.io/kubelet`. */
  readonly reportingController: string;
  /** Where; the instance is told as `<controller>-<host>`. */
  readonly host: string;
}

/** What happened. */
export interface Occurrence {
  readonly type: EventType;
  /** Why it was done, one word in UpperCamelCase. */
  readonly reason: string;
  /** What was done, one word in UpperCamelCase. */
  readonly action: string;
  /** For people. */
  readonly note: string;
  /** Another object that is concerned. */
  readonly related?: EventSubject;
  /** What the objects are, where they do not say so themselves. */
  readonly kind?: SubjectKind;
  readonly relatedKind?: SubjectKind;
}

/** A series that went on for so long without another of its events is over. */
const finishMs = 6 * 60_000;
/** Every so many times that is looked at, running series are written again, so that they do not expire. */
const ticksPerRefresh = 5;
/** Series that are known at once. */
const maxSeries = 4096;

interface Series {
  readonly key: string;
  /** As first written, without the series. */
  readonly event: Event;
  count: number;
  lastObservedAt: number;
}

/**
 * Records events.k8s.io/v1 events. The second of its kind makes a series of an event; from then on the count is written
 * when the series ends, and every half hour.
 */
export class EventSeriesRecorder {
  readonly #options: EventSeriesRecorderOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #names: EventNames;
  readonly #writer: EventWriter<Event>;
  readonly #series = new LruCache<string, Series>(maxSeries);
  /** Runs only while there are series. */
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

  /** Never throws, and never waits: what cannot be told is logged and dropped. */
  event(regarding: EventSubject, occurrence: Occurrence): void {
    try {
      // As upstream: what there is no room for is not counted in its series either.
      if (this.#writer.admits(() => this.#eventOf(regarding, occurrence)))
        this.#record(this.#eventOf(regarding, occurrence));
    } catch (error) {
      const { type: eventType, reason, note } = occurrence;
      this.#logger.error('Could not construct event, will not report it', error, { eventType, reason, note });
    }
  }

  /** Resolves when all that was recorded before is written or given up. Rejects with the signal's reason. */
  flush(signal?: AbortSignal): Promise<void> {
    return this.#writer.flush(signal);
  }

  /** The same at the end: nothing is tried twice from now on, so that a server that is gone holds nobody up for long. */
  finish(signal?: AbortSignal): Promise<void> {
    return this.#writer.finish(signal);
  }

  /** Drops what is not written yet, and resolves when nothing is under way any more. */
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

  /** Writes how far a series has come. */
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
        // It has come into being in between: there is something to patch now.
        if (isAlreadyExists(creationError))
          throw new Error('the event was created meanwhile', { cause: creationError });
        throw creationError;
      });
    }
  }
}

/** Events that make a series: alike in all but time and note. */
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
