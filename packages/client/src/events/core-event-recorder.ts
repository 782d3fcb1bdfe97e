import type { Event, EventSource } from '@coxswain/api/core/v1';
import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { isNotFound } from '@coxswain/apimachinery/errors';
import { type Logger, silentLogger } from '@coxswain/apimachinery/log';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { systemRandom } from '@coxswain/apimachinery/random';
import type { CallOptions } from '../rest/call-options.ts';
import type { PatchBodies, ResourceInterface } from '../rest/resource-interface.ts';
import { type CorrelatedEvent, type CorrelatorOptions, EventCorrelator } from './event-correlator.ts';
import { EventNames } from './event-names.ts';
import type { EventOptions, EventRecorder, EventSubject, EventType } from './event-recorder.ts';
import { EventWriter, type EventWriterOptions, type WriteEvent } from './event-writer.ts';
import { objectReference } from './object-reference.ts';

/**
 * Returns the client for the events of a namespace, for example `clients.core.v1.events`. Responses are not used, so a
 * client `withoutAnswers()` is cheapest.
 */
export type EventClients<E extends KubernetesObject> = (namespace: string) => {
  create(...args: Parameters<ResourceInterface<E>['create']>): Promise<unknown>;
  patch(
    name: string,
    type: 'strategic-merge',
    patch: PatchBodies<E>['strategic-merge'],
    options: CallOptions,
  ): Promise<unknown>;
};

export interface CoreEventRecorderOptions extends EventWriterOptions {
  readonly events: EventClients<Event>;
  /** The reporting component's name and, where it matters, its host. */
  readonly source: EventSource;
  readonly correlator?: CorrelatorOptions;
}

/**
 * Records core/v1 events, as most of Kubernetes does. Repeated events are counted, similar ones combined, and spam is
 * dropped.
 */
export class CoreEventRecorder implements EventRecorder {
  readonly #events: EventClients<Event>;
  readonly #source: EventSource;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #names: EventNames;
  readonly #correlator: EventCorrelator;
  readonly #writer: EventWriter<Event>;

  constructor(options: CoreEventRecorderOptions) {
    const { retryDelayMs = 10_000, random = systemRandom.number } = options;
    this.#events = options.events;
    this.#source = options.source;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#names = new EventNames(this.#clock, options.source.component ?? '');
    this.#correlator = new EventCorrelator(this.#clock, options.correlator);
    this.#writer = new EventWriter<Event>(
      {
        prepare: (event) => this.#prepare(event),
        // The first delay is random, so that clients do not retry all at once after an outage.
        delayMs: (tries) => (tries === 1 ? random() * retryDelayMs : retryDelayMs),
        describe: ({ metadata, reason }) => `${metadata.namespace}/${metadata.name} (${reason})`,
      },
      options,
    );
  }

  event(subject: EventSubject, type: EventType, reason: string, message: string, options: EventOptions = {}): void {
    this.#record(this.#source, { subject, type, reason, message, options });
  }

  annotatedEvent(
    subject: EventSubject,
    annotations: Readonly<Record<string, string>>,
    type: EventType,
    reason: string,
    message: string,
    options: EventOptions = {},
  ): void {
    this.event(subject, type, reason, message, { ...options, annotations });
  }

  /** Returns a recorder for another component, with the same queue and limits. */
  withSource(source: EventSource): EventRecorder {
    const event: EventRecorder['event'] = (subject, type, reason, message, options = {}) =>
      this.#record(source, { subject, type, reason, message, options });
    return {
      event,
      annotatedEvent: (subject, annotations, type, reason, message, options) =>
        event(subject, type, reason, message, { ...options, annotations }),
    };
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

  /**
   * Drops the events that are not written yet (call `flush` first to keep them). Resolves when no request is in
   * progress.
   */
  stop(): Promise<void> {
    return this.#writer.stop();
  }

  #record(source: EventSource, { subject, type, reason, message, options }: Recorded): void {
    try {
      const involvedObject = objectReference(subject, options);
      if (type !== 'Normal' && type !== 'Warning') throw new Error(`Unsupported event type: ${String(type)}`);
      const now = timeFromDate(new Date(this.#clock.now()));
      this.#writer.enqueue({
        metadata: {
          name: this.#names.next(involvedObject.name ?? ''),
          namespace: involvedObject.namespace || 'default',
          ...(options.annotations && { annotations: { ...options.annotations } }),
        },
        involvedObject,
        reason,
        message,
        source,
        firstTimestamp: now,
        lastTimestamp: now,
        count: 1,
        type,
        reportingComponent: source.component ?? '',
        reportingInstance: source.host ?? '',
      });
    } catch (error) {
      const fields = { eventType: type, reason, message };
      this.#logger.error('Could not construct event, will not report it', error, fields);
    }
  }

  #prepare(event: Event): WriteEvent | undefined {
    const correlated = this.#correlator.correlate(event, () => this.#names.next(event.involvedObject.name ?? ''));
    if (!correlated) this.#writer.drop('spam');
    return correlated && ((signal) => this.#write(correlated, signal));
  }

  async #write({ event, patch }: CorrelatedEvent, signal: AbortSignal): Promise<void> {
    const events = this.#events(event.metadata.namespace ?? '');
    const create = (): Promise<unknown> => events.create(event, { signal });
    if (!patch) await create();
    else {
      await events.patch(event.metadata.name ?? '', 'strategic-merge', patch, { signal }).catch((error: unknown) => {
        if (isNotFound(error)) return create();
        throw error;
      });
    }
  }
}

interface Recorded {
  readonly subject: EventSubject;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  readonly options: EventOptions;
}
