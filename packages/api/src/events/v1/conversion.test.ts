import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Event } from '../../generated/events/v1.ts';
import { eventConversion, eventFieldLabels } from './conversion.ts';

const reference = fc.record({ kind: fc.string(), name: fc.string() }, { requiredKeys: [] });
const time = fc.constantFrom('2026-01-01T00:00:00.000000Z', '2026-01-02T03:04:05.000006Z');
const event = fc.record(
  {
    kind: fc.constant('Event' as const),
    apiVersion: fc.constant('events.k8s.io/v1' as const),
    metadata: fc.record({ name: fc.string() }),
    eventTime: time,
    series: fc.record({ count: fc.nat(), lastObservedTime: time }),
    // Empty strings are omitted by this version, but written by the core API.
    reportingController: fc.string({ minLength: 1 }),
    reportingInstance: fc.string({ minLength: 1 }),
    action: fc.string(),
    reason: fc.string(),
    regarding: reference,
    related: reference,
    note: fc.string(),
    type: fc.string(),
    deprecatedSource: fc.record({ component: fc.string(), host: fc.string() }),
    deprecatedFirstTimestamp: time,
    deprecatedLastTimestamp: time,
    deprecatedCount: fc.nat(),
  },
  { requiredKeys: ['kind', 'apiVersion', 'metadata', 'eventTime', 'regarding'] },
);

describe('events of events.k8s.io and of the core API', () => {
  it('are unchanged by a round trip', () => {
    fc.assert(
      fc.property(event, (original: Event) => {
        expect(eventConversion.fromHub(eventConversion.toHub(original))).toEqual(original);
      }),
    );
  });

  it('have other names for some fields', () => {
    const hub = eventConversion.toHub({
      apiVersion: 'events.k8s.io/v1',
      metadata: {},
      eventTime: '2026-01-01T00:00:00.000000Z',
      regarding: { kind: 'Pod' },
      note: 'text',
      reportingController: 'c',
      deprecatedCount: 2,
      deprecatedSource: { host: 'h' },
    });
    expect(JSON.parse(JSON.stringify(hub))).toEqual({
      apiVersion: 'v1',
      metadata: {},
      eventTime: '2026-01-01T00:00:00.000000Z',
      involvedObject: { kind: 'Pod' },
      message: 'text',
      reportingComponent: 'c',
      reportingInstance: '',
      count: 2,
      source: { host: 'h' },
    });
  });
});

describe('field selectors of events.k8s.io', () => {
  it.each([
    ['regarding.name', 'involvedObject.name'],
    ['regarding.fieldPath', 'involvedObject.fieldPath'],
    ['reportingController', 'reportingComponent'],
    ['type', 'type'],
    ['metadata.namespace', 'metadata.namespace'],
  ])('%s is converted to %s', (label, hubLabel) => {
    expect(eventFieldLabels(label, 'x')).toEqual({ label: hubLabel, value: 'x' });
  });

  it.each(['involvedObject.name', 'source', 'note'])('%s is not supported', (label) => {
    expect(() => eventFieldLabels(label, 'x')).toThrow(`field label not supported: ${label}`);
  });
});
