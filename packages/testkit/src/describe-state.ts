import type { Event, Pod } from '@coxswain/api/core/v1';
import type { ClientSet } from '@coxswain/client';

const shownPods = 20;
const shownEvents = 20;

/** Describes the cluster for the error of a wait that timed out: the pods that are not ready, and the latest events. */
export async function describeState({ core }: ClientSet, namespace?: string): Promise<string> {
  const [pods, events] = await Promise.all([core.v1.pods(namespace).list(), core.v1.events(namespace).list()]);
  const unwell = pods.items.map(describePod).filter((line) => line !== undefined);
  const latest = describeEvents(events.items).map((line) => `  ${line}`);
  return [
    `${pods.items.length} pods, of which ${unwell.length} are not ready${unwell.length > 0 ? ':' : ''}`,
    ...unwell.slice(0, shownPods),
    latest.length > 0 ? 'events, oldest first:' : 'no events',
    ...latest.slice(-shownEvents),
  ].join('\n');
}

function describePod({ metadata: { namespace, name }, status, spec }: Pod): string | undefined {
  const conditions = status?.conditions ?? [];
  const isReady = conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True');
  if (status?.phase === 'Succeeded' || (status?.phase === 'Running' && isReady)) return undefined;
  const reasons = [
    ...conditions.filter(({ status: is, reason }) => is !== 'True' && reason).map(({ reason }) => reason),
    ...(status?.containerStatuses ?? []).map(({ state }) => state?.waiting?.reason ?? state?.terminated?.reason),
  ];
  const why = [...new Set(reasons.filter((reason) => reason !== undefined))].join(', ');
  return `  ${namespace}/${name}: ${status?.phase}${why && ` (${why})`} on ${spec?.nodeName ?? 'no node'}`;
}

/**
 * Returns a line for each event, oldest first, for example `Normal Scheduled Pod/web-0: Successfully assigned default/web-0 to hollow-1`.
 */
export const describeEvents = (events: readonly Event[]): string[] =>
  [...events]
    .sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1))
    .map(
      ({ type, reason, involvedObject: { kind, name }, message }) => `${type} ${reason} ${kind}/${name}: ${message}`,
    );

/** Event recorders differ in which of these fields they set. */
const timeOf = ({ lastTimestamp, eventTime, metadata }: Event): string =>
  `${lastTimestamp ?? eventTime ?? metadata.creationTimestamp} ${(metadata.resourceVersion ?? '').padStart(12)}`;
