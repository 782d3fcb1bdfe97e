import type { Case, CaseSuite } from '../case.ts';
import { edit } from '../edit.ts';

const namespace = 'cases-core-event';
const old = (changes: Record<string, unknown> = {}): Case => ({ create: 'old', change: edit(changes) });
const core = (changes: Record<string, unknown> = {}): Case => ({ create: 'core', change: edit(changes) });
const event = (changes: Record<string, unknown> = {}): Case => ({ create: 'event', change: edit(changes) });
const update = (base: string, changes: Record<string, unknown>): Case => ({ update: base, change: edit(changes) });
const involvedObject = { kind: 'Pod', name: 'web', namespace, fieldPath: 'spec.containers{web}' };
const time = '2026-01-01T00:00:00.000001Z';

const modern = { reportingInstance: 'node-1', action: 'Start', reason: 'Started', type: 'Normal', eventTime: time };
const long = 'x'.repeat(129);

export const suite: CaseSuite = {
  bases: {
    old: {
      object: {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'old.1' },
        involvedObject,
        reason: 'Pulled',
        message: ' it is here \n',
        source: { component: 'kubelet', host: 'node-1' },
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:00Z',
        count: 3,
        type: 'Normal',
      },
    },
    core: {
      object: {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'core.1' },
        involvedObject,
        reportingComponent: 'example.com/controller',
        ...modern,
      },
    },
    event: {
      object: {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name: 'event.1' },
        regarding: involvedObject,
        related: { kind: 'Node', name: 'node-1' },
        note: 'started',
        reportingController: 'example.com/controller',
        ...modern,
      },
    },
    series: {
      object: {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name: 'series.1' },
        regarding: { kind: 'Node', namespace },
        reportingController: 'kubelet',
        ...modern,
        series: { count: 5, lastObservedTime: time },
      },
    },
  },
  cases: {
    'an old event is stored': old(),
    'an old event may be empty': old({ reason: undefined, source: undefined, count: undefined, type: undefined }),
    'an old event is of the namespace it is about': old({ 'involvedObject.namespace': 'other' }),
    'an old event about nothing in a namespace is of none': old({ 'involvedObject.namespace': undefined }),
    'an old event may have any name': old({ 'metadata.name': 'Not_A_Name' }),
    'an old event has no path for a name': old({ 'metadata.name': 'a%b' }),
    'labels of an old event are judged last': old({ 'metadata.labels': { a: '-' } }),
    'a new event may come through the core API': core(),
    'a new event has all of these': core({
      reportingComponent: undefined,
      reportingInstance: undefined,
      action: undefined,
      reason: undefined,
    }),
    'a new event does not say too much': core({
      reportingComponent: 'not a name',
      reportingInstance: long,
      action: long,
      reason: long,
      message: 'x'.repeat(1025),
    }),
    'a new event is of a namespace': core({ 'involvedObject.namespace': undefined }),
    'a new event may be about another namespace': core({ 'involvedObject.namespace': 'other' }),
    'the core API does not look at the series': core({ series: { count: 1 }, type: 'Odd' }),
    'an event is stored': event(),
    'an event needs a time': event({ eventTime: undefined }),
    'an event has all of these': event({
      reportingController: undefined,
      reportingInstance: undefined,
      action: undefined,
      reason: undefined,
      type: undefined,
    }),
    'an event does not say too much': event({
      reportingController: 'not a name',
      reportingInstance: long,
      action: long,
      reason: long,
      note: 'x'.repeat(1025),
      type: 'Odd',
    }),
    'an event is of a namespace': event({ 'regarding.namespace': undefined }),
    'an event has a name': event({ 'metadata.name': 'Not_A_Name' }),
    'an event has no old fields': event({
      deprecatedCount: 1,
      deprecatedFirstTimestamp: '2026-01-01T00:00:00Z',
      deprecatedLastTimestamp: '2026-01-01T00:00:00Z',
      deprecatedSource: { component: 'a' },
    }),
    'a series has two events': event({ series: { count: 1, lastObservedTime: null } }),
    'a series is stored': event({ series: { count: 2, lastObservedTime: time } }),
    'an old event can be changed': update('old', { count: 4, message: 'again', reason: 'Other' }),
    'an event can become a series': update('event', { series: { count: 2, lastObservedTime: time } }),
    'a series that changes is judged': update('event', { series: { count: 1, lastObservedTime: time } }),
    'an event cannot be changed': update('event', {
      reason: 'Other',
      note: 'other',
      type: 'Warning',
      action: 'Other',
      reportingController: 'example.com/other',
      reportingInstance: 'other',
      eventTime: '2026-01-01T00:00:00.000002Z',
      'regarding.name': 'other',
      'related.name': 'other',
    }),
    'an event cannot lose what is related': update('event', { related: undefined, note: undefined }),
    'old fields cannot be added': update('event', {
      deprecatedCount: 1,
      deprecatedFirstTimestamp: '2026-01-01T00:00:00Z',
      deprecatedLastTimestamp: '2026-01-01T00:00:00Z',
      deprecatedSource: { component: 'a' },
    }),
    'a new event can be changed through the core API': update('core', { reason: 'Other', message: 'other' }),
    'labels of an old event are judged': update('old', { 'metadata.labels': { a: '-' } }),
    'labels of an event are judged': update('event', { 'metadata.labels': { a: '-' } }),
    'an old event is printed': { table: 'old' },
    'an event is printed': { table: 'event' },
    'a series is printed': { table: 'series' },
    'a new event of the core API is printed': { table: 'core' },
  },
};
