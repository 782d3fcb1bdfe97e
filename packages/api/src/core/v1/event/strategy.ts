import type { Event } from '../../../generated/core/v1.ts';
import { translateTimestampSince } from '../../../strategy/print.ts';
import type { Strategy } from '../../../strategy/strategy.ts';
import { columns, type TablePrinter } from '../../../strategy/table.ts';
import { validateEvent, validateEventUpdate } from './validation.ts';

const eventTable: TablePrinter<Event> = {
  columns: columns(
    'Last Seen',
    'Type',
    'Reason',
    'Object',
    'Subobject (wide)',
    'Source (wide)',
    'Message',
    'First Seen (wide)',
    'Count (wide)',
    'Name (wide)',
  ),
  row(event, context) {
    const { involvedObject: involved, series, source } = event;
    const since = (time: string | undefined): string => translateTimestampSince(time, context);
    const firstSeen = since(event.firstTimestamp || event.eventTime);
    const lastSeen = series
      ? since(series.lastObservedTime)
      : event.lastTimestamp
        ? since(event.lastTimestamp)
        : firstSeen;
    const kind = (involved.kind ?? '').toLowerCase();
    const reporter = source?.component || event.reportingComponent || '';
    const instance = source?.host || event.reportingInstance;
    return [
      lastSeen,
      event.type ?? '',
      event.reason ?? '',
      involved.name ? `${kind}/${involved.name}` : kind,
      involved.fieldPath ?? '',
      instance ? `${reporter}, ${instance}` : reporter,
      (event.message ?? '').trim(),
      firstSeen,
      // A single event of events.k8s.io has no count.
      series ? (series.count ?? 0) : event.count || 1,
      event.metadata.name ?? '',
    ];
  },
};

const ofInvolved =
  (field: keyof Event['involvedObject']) =>
  ({ involvedObject }: Event): string =>
    involvedObject[field] ?? '';

export const eventStrategy: Strategy<Event> = {
  allowCreateOnUpdate: true,
  validatesMetadata: true,
  validatesMetadataUpdate: true,
  validate: validateEvent,
  validateUpdate: validateEventUpdate,
  selectableFields: {
    'involvedObject.kind': ofInvolved('kind'),
    'involvedObject.namespace': ofInvolved('namespace'),
    'involvedObject.name': ofInvolved('name'),
    'involvedObject.uid': ofInvolved('uid'),
    'involvedObject.apiVersion': ofInvolved('apiVersion'),
    'involvedObject.resourceVersion': ofInvolved('resourceVersion'),
    'involvedObject.fieldPath': ofInvolved('fieldPath'),
    reason: ({ reason = '' }) => reason,
    reportingComponent: ({ reportingComponent = '' }) => reportingComponent,
    source: ({ source, reportingComponent = '' }) => source?.component || reportingComponent,
    type: ({ type = '' }) => type,
  },
  table: eventTable,
};
