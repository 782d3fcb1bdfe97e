import { ownEntry } from '@coxswain/apimachinery/json';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import {
  type Clock,
  type DynamicSharedInformerFactory,
  deletedObject,
  FilteringResourceEventHandler,
  type Logger,
  type Metrics,
  type ResourceEventHandler,
  type ResourceEventHandlerRegistration,
  type SharedInformerFactory,
} from '@coxswain/client';
import { isPodTerminal } from '@coxswain/component-helpers';
import { Action, type EventResource } from '../framework/cluster-event.ts';
import { clusterEvent, eventLabel } from './cluster-events.ts';
import type { EventHandlersContext } from './event-handlers-context.ts';
import { NodeEventHandler } from './node-event-handler.ts';
import { PodEventHandler } from './pod-event-handler.ts';

/** Emits the events of a kind: an informer, or a cache in front of one. */
interface EventSource {
  addEventHandler(handler: ResourceEventHandler<KubernetesObject>): ResourceEventHandlerRegistration;
}

export interface EventHandlersOptions extends Pick<EventHandlersContext, 'cache' | 'queue' | 'profiles'> {
  readonly informers: SharedInformerFactory;
  /** For custom kinds that plug-ins register for; without it they are ignored. */
  readonly dynamicInformers?: DynamicSharedInformerFactory;
  /** Replaces the informers of these kinds. A plug-in's own cache must be updated before an event makes pods be retried. */
  readonly sources?: ReadonlyMap<EventResource, EventSource>;
  /** The actions that plug-ins registered for, by resource. */
  readonly actions: ReadonlyMap<EventResource, number>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const informerByKind: Readonly<Record<string, (informers: SharedInformerFactory) => EventSource>> = {
  PersistentVolume: ({ core }) => core.v1.persistentVolumes.informer,
  PersistentVolumeClaim: ({ core }) => core.v1.persistentVolumeClaims.informer,
  'storage.k8s.io/CSINode': ({ storage }) => storage.v1.csiNodes.informer,
  'storage.k8s.io/CSIDriver': ({ storage }) => storage.v1.csiDrivers.informer,
  'storage.k8s.io/VolumeAttachment': ({ storage }) => storage.v1.volumeAttachments.informer,
  'storage.k8s.io/CSIStorageCapacity': ({ storage }) => storage.v1.csiStorageCapacities.informer,
  'storage.k8s.io/StorageClass': ({ storage }) => storage.v1.storageClasses.informer,
  'resource.k8s.io/ResourceClaim': ({ resource }) => resource.v1.resourceClaims.informer,
  'resource.k8s.io/ResourceSlice': ({ resource }) => resource.v1.resourceSlices.informer,
  'resource.k8s.io/DeviceClass': ({ resource }) => resource.v1.deviceClasses.informer,
};

/**
 * Registers event handlers that update cache and queue: for pods and nodes always, for other kinds when a plug-in registered for them.
 * Scheduling may begin when all returned registrations have synced.
 */
export function addEventHandlers(options: EventHandlersOptions): ResourceEventHandlerRegistration[] {
  const { actions, informers } = options;
  const context: EventHandlersContext = { ...options, observe: observer(options) };
  // Terminal pods no longer use the resources of their node, so for the handlers they are deleted.
  const pods = new FilteringResourceEventHandler((pod) => !isPodTerminal(pod), new PodEventHandler(context));
  const registrations = [
    informers.core.v1.pods.informer.addEventHandler(pods),
    informers.core.v1.nodes.informer.addEventHandler(new NodeEventHandler(context)),
  ];
  for (const [resource, registered] of actions) {
    if (resource === 'Pod' || resource === 'Node' || resource === '*') continue;
    const source = sourceOf(resource, options);
    if (source) registrations.push(source.addEventHandler(otherEventHandler(resource, registered, context)));
  }
  return registrations;
}

function sourceOf(
  resource: EventResource,
  { dynamicInformers, informers, logger, sources }: EventHandlersOptions,
): EventSource | undefined {
  const known = sources?.get(resource) ?? ownEntry(informerByKind, resource)?.(informers);
  if (known || !dynamicInformers) return known;
  const [name, version, ...group] = resource.split('.');
  if (!name || !version || group.length === 0) {
    logger.error('Incorrect event registration: the form is <resource>.<version>.<group>', undefined, {
      gvk: resource,
    });
    return undefined;
  }
  return dynamicInformers.forResource({ resource: name, version, group: group.join('.') }).informer;
}

/** Passes on only the actions that plug-ins registered for. */
function otherEventHandler(
  resource: EventResource,
  registered: number,
  { observe, queue }: EventHandlersContext,
): ResourceEventHandler<KubernetesObject> {
  const tell = (action: number) => {
    const event = clusterEvent(resource, action);
    return (before: KubernetesObject | undefined, after: KubernetesObject | undefined): void =>
      observe(eventLabel(event), () => queue.moveAllToActiveOrBackoffQueue(event, before, after));
  };
  const added = tell(Action.Add);
  const updated = tell(Action.UpdateOther);
  const deleted = tell(Action.Delete);
  return {
    ...(registered & Action.Add && { onAdd: (object) => added(undefined, object) }),
    ...(registered & Action.Update && { onUpdate: updated }),
    ...(registered & Action.Delete && {
      onDelete: (object) => deleted(deletedObject(object), undefined),
    }),
  };
}

function observer({ clock, metrics }: EventHandlersOptions): EventHandlersContext['observe'] {
  const duration = metrics.histogram({
    name: 'scheduler_event_handling_duration_seconds',
    help: 'Event handling latency in seconds.',
    labels: ['event'],
    buckets: Array.from({ length: 12 }, (_, i) => 0.0001 * 2 ** i),
  });
  return (event, handle) => {
    const start = clock.monotonic();
    handle();
    duration.observe((clock.monotonic() - start) / 1000, event);
  };
}
