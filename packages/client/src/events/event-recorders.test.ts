import type { Event } from '@coxswain/api/core/v1';
import type { Event as EventsV1Event } from '@coxswain/api/events/v1';
import { FakeClock } from '@coxswain/apimachinery/clock';
import { newForbidden } from '@coxswain/apimachinery/errors';
import { recordLogs } from '@coxswain/apimachinery/log';
import { GroupResource, type KubernetesObject } from '@coxswain/apimachinery/meta';
import { describe, expect, it } from 'vitest';
import { TransportError } from '../transport/transport.ts';
import { recordingMetrics } from '../workqueue/recording-metrics.test-data.ts';
import { CoreEventRecorder, type CoreEventRecorderOptions, type EventClients } from './core-event-recorder.ts';
import { EventSeriesRecorder, type EventSeriesRecorderOptions } from './event-series-recorder.ts';
import { objectReference } from './object-reference.ts';

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'ns', uid: 'u' } };
const pods = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };

/** A fake events client that can fail. */
class Sink<E extends KubernetesObject> {
  readonly written: string[] = [];
  readonly objects: E[] = [];
  failure: Error | undefined;
  attempts = 0;

  readonly events: EventClients<E> = (namespace) => ({
    create: async (event) => {
      this.#attempt();
      this.objects.push(event);
      this.written.push(`create ${namespace}/${event.metadata?.name}`);
      return event;
    },
    patch: async (name, type, patch) => {
      this.#attempt();
      this.written.push(`${type} ${namespace}/${name} ${JSON.stringify(patch)}`);
      const stored = this.objects.find((event) => event.metadata?.name === name)!;
      return Object.assign(stored, patch);
    },
  });

  #attempt(): void {
    this.attempts++;
    if (this.failure) throw this.failure;
  }
}

function start(options: Partial<CoreEventRecorderOptions> = {}) {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const sink = new Sink<Event>();
  const { logger, lines: log } = recordLogs();
  const { metrics, values } = recordingMetrics();
  const recorder = new CoreEventRecorder({
    events: sink.events,
    source: { component: 'me', host: 'node-1' },
    clock,
    random: () => 0.5,
    metrics,
    logger,
    ...options,
  });
  return { clock, sink, log, values, recorder };
}

const away = new TransportError('connect ECONNREFUSED');

describe('objectReference', () => {
  it.each([
    {
      name: 'an object with apiVersion and kind',
      subject: { ...pod, metadata: { ...pod.metadata, resourceVersion: '7' } },
      options: {},
      reference: { kind: 'Pod', apiVersion: 'v1', name: 'web', namespace: 'ns', uid: 'u', resourceVersion: '7' },
    },
    {
      name: 'an object out of a cache',
      subject: { metadata: { name: 'x' } },
      options: { kind: { group: 'apps', version: 'v1', kind: 'Deployment' }, fieldPath: 'spec' },
      reference: { kind: 'Deployment', apiVersion: 'apps/v1', name: 'x', fieldPath: 'spec' },
    },
    {
      name: 'a reference',
      subject: { kind: 'Node', name: 'n', uid: 'n' },
      options: {},
      reference: { kind: 'Node', name: 'n', uid: 'n' },
    },
  ])('refers to $name', ({ subject, options, reference }) => {
    expect(objectReference(subject, options)).toEqual(reference);
  });

  it('throws for an object of unknown kind', () => {
    expect(() => objectReference({ metadata: { name: 'x' } })).toThrow('the kind of the object is not known');
  });
});

describe('CoreEventRecorder', () => {
  it('writes an event as client-go does', async () => {
    const { sink, recorder } = start();
    recorder.annotatedEvent(pod, { a: 'b' }, 'Normal', 'Started', 'Started it');
    await recorder.flush();
    expect(sink.objects).toEqual([
      {
        metadata: { name: 'web.18867251ee015300', namespace: 'ns', annotations: { a: 'b' } },
        involvedObject: { kind: 'Pod', apiVersion: 'v1', name: 'web', namespace: 'ns', uid: 'u' },
        reason: 'Started',
        message: 'Started it',
        source: { component: 'me', host: 'node-1' },
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:00Z',
        count: 1,
        type: 'Normal',
        reportingComponent: 'me',
        reportingInstance: 'node-1',
      },
    ]);
  });

  it('writes the event of a cluster-scoped object into the default namespace, and records for other components', async () => {
    const { sink, recorder } = start();
    recorder.withSource({ component: 'other' }).event({ metadata: { name: 'n' } }, 'Warning', 'R', 'm', {
      kind: { group: '', version: 'v1', kind: 'Node' },
    });
    await recorder.flush();
    expect(sink.objects[0]).toMatchObject({
      metadata: { namespace: 'default' },
      involvedObject: { kind: 'Node', apiVersion: 'v1' },
      source: { component: 'other' },
    });
  });

  it('only changes the count of a repeated event', async () => {
    const { sink, recorder } = start();
    for (let i = 0; i < 3; i++) recorder.event(pod, 'Normal', 'R', 'm');
    await recorder.flush();
    const patch = (count: number) =>
      `strategic-merge ns/web.18867251ee015300 {"count":${count},"lastTimestamp":"2026-01-01T00:00:00Z","message":"m"}`;
    expect(sink.written).toEqual(['create ns/web.18867251ee015300', patch(2), patch(3)]);
  });

  it('tries up to twelve times while the server is unreachable', async () => {
    const { clock, sink, log, values, recorder } = start();
    sink.failure = away;
    recorder.event(pod, 'Normal', 'R', 'm');
    recorder.event(pod, 'Normal', 'R', 'another');
    await clock.advance(4999);
    expect(sink.attempts).toBe(1);
    await clock.advance(1 + 10_000);
    expect(sink.attempts).toBe(3);
    await clock.advance(9 * 10_000);
    expect(sink.attempts).toBe(13);
    expect(log).toContain('error "Unable to write event (retry limit exceeded!)" event="ns/web.18867251ee015300 (R)"');
    expect(values).toEqual({ 'event_recorder_dropped_total{unreachable}': 1 });
    sink.failure = undefined;
    await clock.advance(10_000);
    expect(sink.objects.map((event) => event.message)).toEqual(['another']);
    expect(clock.pending).toBe(0);
  });

  it('does not retry events that the server rejects', async () => {
    const { sink, log, values, recorder } = start();
    sink.failure = newForbidden(GroupResource.of('', 'events'), 'e', new Error('no'));
    recorder.event(pod, 'Normal', 'R', 'm');
    await recorder.flush();
    expect([sink.attempts, log]).toEqual([
      1,
      [
        expect.stringMatching(
          /^error "Server rejected event \(will not retry!\)" .*event="ns\/web.18867251ee015300 \(R\)"$/,
        ),
      ],
    ]);
    expect(values).toEqual({ 'event_recorder_dropped_total{rejected}': 1 });
  });

  it('drops and counts events that exceed the queue', async () => {
    const { sink, log, values, recorder } = start({ queueSize: 2 });
    for (const name of ['a', 'b', 'c']) recorder.event({ ...pod, metadata: { name } }, 'Normal', 'R', 'm');
    await recorder.flush();
    expect(sink.objects.map((event) => event.involvedObject.name)).toEqual(['a', 'b']);
    expect(log[0]).toMatch(
      /^error "Unable to record event: too many queued events, dropped event" event="default\/c\./,
    );
    expect(values).toEqual({ 'event_recorder_dropped_total{queue_full}': 1 });
    for (const name of ['d', 'e', 'f', 'g', 'h']) recorder.event({ ...pod, metadata: { name } }, 'Normal', 'R', 'm');
    await recorder.flush();
    expect(values).toEqual({ 'event_recorder_dropped_total{queue_full}': 4 });
    recorder.event({ ...pod, metadata: { name: 'i' } }, 'Normal', 'R', 'm');
    await recorder.flush();
    // The first of several consecutively dropped events is named.
    expect(log.slice(1)).toEqual([
      expect.stringMatching(
        /^error "Unable to record event: too many queued events, dropped event" event="default\/f\./,
      ),
      'error "Unable to record event: too many queued events, dropped more" count=2',
    ]);
    for (let i = 0; i < 30; i++) {
      recorder.event(pod, 'Normal', 'R', 'm');
      await recorder.flush();
    }
    expect(values).toMatchObject({ 'event_recorder_dropped_total{spam}': 5 });
  });

  it('logs invalid events', () => {
    const { log, recorder } = start();
    recorder.event({ metadata: { name: 'x' } }, 'Normal', 'R', 'm');
    expect(log).toEqual([
      expect.stringMatching(/^error "Could not construct event, .*eventType="Normal" reason="R" message="m"$/),
    ]);
  });

  it('stop drops queued events, cancels delays, and accepts no more events', async () => {
    const { logger, lines } = recordLogs();
    const { clock, sink, values, recorder } = start({ logger });
    sink.failure = away;
    recorder.event(pod, 'Normal', 'R', 'm');
    recorder.event(pod, 'Normal', 'R', 'n');
    const flushed = recorder.flush();
    await clock.whenWaiting();
    await recorder.stop();
    await flushed;
    recorder.event(pod, 'Normal', 'R', 'o');
    expect([sink.attempts, clock.pending]).toEqual([1, 0]);
    expect(values).toEqual({ 'event_recorder_dropped_total{stopped}': 3 });
    expect(lines.filter((line) => line.startsWith('error'))).toEqual([
      'error "Unable to write event (may retry after sleeping)" err="connect ECONNREFUSED" event="ns/web.18867251ee015300 (R)"',
    ]);
  });

  it('finish retries a delayed event once, and retries no other', async () => {
    const { clock, sink, values, recorder } = start();
    sink.failure = away;
    recorder.event(pod, 'Normal', 'R', 'm');
    recorder.event(pod, 'Normal', 'R', 'n');
    await clock.whenWaiting();
    await recorder.finish();
    expect([sink.attempts, clock.pending]).toEqual([3, 0]);
    expect(values).toEqual({ 'event_recorder_dropped_total{unreachable}': 2 });
  });

  it('flush rejects when its signal is aborted', async () => {
    const { clock, sink, recorder } = start();
    sink.failure = away;
    recorder.event(pod, 'Normal', 'R', 'm');
    const stop = new AbortController();
    const failed = expect(recorder.flush(stop.signal)).rejects.toBe('stop');
    await clock.whenWaiting();
    stop.abort('stop');
    await failed;
    await recorder.stop();
  });
});

describe('EventSeriesRecorder', () => {
  const startSeries = (options: Partial<EventSeriesRecorderOptions> = {}) => {
    const clock = new FakeClock(Date.UTC(2026, 0, 1));
    const sink = new Sink<EventsV1Event>();
    const recorder = new EventSeriesRecorder({
      events: sink.events,
      reportingController: 'example.com/me',
      host: 'node-1',
      clock,
      random: () => 0,
      ...options,
    });
    const tell = (note = 'm') => recorder.event(pod, { type: 'Normal', reason: 'R', action: 'Doing', note });
    return { clock, sink, recorder, tell };
  };
  const series = (count: number, lastObservedTime: string) =>
    `strategic-merge ns/web.18867251ee079490 {"series":{"count":${count},"lastObservedTime":"${lastObservedTime}"}}`;

  it('writes an event as client-go does', async () => {
    const { sink, recorder } = startSeries();
    recorder.event(
      { metadata: pod.metadata },
      {
        type: 'Warning',
        reason: 'R',
        action: 'Doing',
        note: 'm',
        kind: pods,
        related: { kind: 'Node', apiVersion: 'v1', name: 'n' },
      },
    );
    await recorder.flush();
    expect(sink.objects).toEqual([
      {
        metadata: { name: 'web.18867251ee079490', namespace: 'ns' },
        eventTime: '2026-01-01T00:00:00.000000Z',
        reportingController: 'example.com/me',
        reportingInstance: 'example.com/me-node-1',
        action: 'Doing',
        reason: 'R',
        regarding: { kind: 'Pod', apiVersion: 'v1', name: 'web', namespace: 'ns', uid: 'u' },
        related: { kind: 'Node', apiVersion: 'v1', name: 'n' },
        note: 'm',
        type: 'Warning',
      },
    ]);
    await recorder.stop();
  });

  it('starts a series with the second event, and writes its count when it ends', async () => {
    const { clock, sink, recorder, tell } = startSeries();
    tell();
    await clock.advance(1000);
    for (let i = 0; i < 4; i++) tell(`note ${i}`);
    await recorder.flush();
    expect(sink.written).toEqual(['create ns/web.18867251ee079490', series(2, '2026-01-01T00:00:01.000000Z')]);
    await clock.advance(6 * 60_000);
    expect(sink.written).toHaveLength(2);
    await clock.advance(6 * 60_000);
    expect(sink.written.slice(2)).toEqual([series(5, '2026-01-01T00:00:01.000000Z')]);
    expect(clock.pending).toBe(0);
    tell();
    await recorder.flush();
    expect(sink.objects).toHaveLength(2);
    await recorder.stop();
    expect(clock.pending).toBe(0);
  });

  it('drops events when the queue is full: they count as dropped, and not in a series', async () => {
    const { metrics, values } = recordingMetrics();
    const { logger, lines } = recordLogs();
    const { sink, recorder, tell } = startSeries({ queueSize: 1, metrics, logger });
    const tellOf = (name: string, note = 'm') =>
      recorder.event({ ...pod, metadata: { name } }, { type: 'Normal', reason: 'R', action: 'Doing', note });
    tell();
    for (const name of ['a', 'a', 'b']) tellOf(name);
    expect(values).toEqual({ 'event_recorder_dropped_total{queue_full}': 3 });
    expect(lines).toEqual([
      expect.stringMatching(
        /^error "Unable to record event: too many queued events, .*" event="default\/a\..* \(R\)"$/,
      ),
    ]);
    await recorder.flush();
    tellOf('a');
    await recorder.flush();
    expect(sink.written).toEqual([
      expect.stringMatching(/^create ns\/web\./),
      expect.stringMatching(/^create default\/a\./),
    ]);
    await recorder.stop();
    tell();
    expect(values).toMatchObject({ 'event_recorder_dropped_total{stopped}': 1 });
  });

  it('drops an event that was not repeated, without a write', async () => {
    const { clock, sink, tell } = startSeries();
    tell();
    await clock.advance(12 * 60_000 + 1);
    expect([sink.written, clock.pending]).toEqual([['create ns/web.18867251ee079490'], 0]);
  });

  it('writes a continuing series every half hour', async () => {
    const { clock, sink, recorder, tell } = startSeries();
    for (let minute = 0; minute < 62; minute += 2) {
      tell();
      await clock.advance(2 * 60_000);
    }
    const counts = sink.written.slice(1).map((line) => Number(/"count":(\d+)/.exec(line)?.[1]));
    expect(counts).toEqual([2, 15, 30]);
    await recorder.stop();
  });
});
