import type { FieldLabelConversion } from '@coxswain/apimachinery';
import type { Event as CoreEvent } from '../../generated/core/v1.ts';
import type { Event } from '../../generated/events/v1.ts';
import type { HubConversion } from '../../strategy/strategy.ts';

/** Converts between the two APIs of the same events: renamed, deprecated and common fields. */
export const eventConversion: HubConversion<Event, CoreEvent> = {
  toHub(event) {
    const {
      apiVersion: _,
      regarding,
      note,
      reportingController,
      deprecatedSource,
      deprecatedFirstTimestamp,
      deprecatedLastTimestamp,
      deprecatedCount,
      ...same
    } = event;
    return withoutAbsent({
      ...same,
      apiVersion: 'v1',
      involvedObject: regarding ?? {},
      message: note,
      // The core API always writes both, even when they are empty.
      reportingComponent: reportingController ?? '',
      reportingInstance: same.reportingInstance ?? '',
      source: deprecatedSource,
      firstTimestamp: deprecatedFirstTimestamp,
      lastTimestamp: deprecatedLastTimestamp,
      count: deprecatedCount,
    });
  },
  fromHub(event) {
    const {
      apiVersion: _,
      involvedObject,
      message,
      reportingComponent,
      source,
      firstTimestamp,
      lastTimestamp,
      count,
      eventTime,
      series,
      ...same
    } = event;
    return withoutAbsent({
      ...same,
      apiVersion: 'events.k8s.io/v1',
      eventTime: eventTime as Event['eventTime'],
      series: series as Event['series'],
      regarding: involvedObject,
      note: message,
      reportingController: reportingComponent || undefined,
      reportingInstance: same.reportingInstance || undefined,
      deprecatedSource: source,
      deprecatedFirstTimestamp: firstTimestamp,
      deprecatedLastTimestamp: lastTimestamp,
      deprecatedCount: count,
    });
  },
};

/** Deletes undefined fields: managedFields distinguish undefined from absent. */
function withoutAbsent<T extends object>(event: T): T {
  for (const key in event) if (event[key] === undefined) delete event[key];
  return event;
}

const fieldLabels: ReadonlyMap<string, string> = new Map([
  ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
    (field) => [`regarding.${field}`, `involvedObject.${field}`] as const,
  ),
  ['reportingController', 'reportingComponent'],
  ...['reason', 'type', 'metadata.namespace', 'metadata.name'].map((label) => [label, label] as const),
]);

/** Converts field labels of this version to those of the hub. Throws upstream's error for unknown ones. */
export const eventFieldLabels: FieldLabelConversion = (label, value) => {
  const known = fieldLabels.get(label);
  if (known === undefined) throw new Error(`field label not supported: ${label}`);
  return { label: known, value };
};
