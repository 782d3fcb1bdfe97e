import { recordLogs } from '@coxswain/apimachinery/log';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import {
  ClientSet,
  DynamicClient,
  DynamicSharedInformerFactory,
  FakeClock,
  type Metrics,
  RESTClient,
  type ResourceEventHandler,
  SharedInformerFactory,
  waitForCacheSync,
} from '@coxswain/client';
import { FakeTransport } from '@coxswain/client/testing';
import { afterEach, expect, it } from 'vitest';
import { SchedulerCache } from '../cache/index.ts';
import { Action, type ClusterEvent } from '../framework/cluster-event.ts';
import { newPod } from '../queue/queue.test-data.ts';
import { addEventHandlers, type EventHandlersOptions } from './add-event-handlers.ts';
import { eventLabel } from './cluster-events.ts';

const named = (apiVersion: string, kind: string, name: string) => ({ apiVersion, kind, metadata: { name } });
const pod = (name: string, phase: string, node?: string) => {
  const made = newPod(name, node ? { node } : {});
  return { apiVersion: 'v1', kind: 'Pod', ...made, status: { phase } };
};

interface Happened {
  readonly label: string;
  readonly event: ClusterEvent;
  readonly name: string | undefined;
}

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function start(
  actions: EventHandlersOptions['actions'],
  objects: readonly KubernetesObject[] = [],
  more: Partial<EventHandlersOptions> = {},
) {
  const transport = new FakeTransport({ objects });
  const rest = new RESTClient(transport);
  const clients = new ClientSet(rest);
  const informers = new SharedInformerFactory(clients);
  const dynamicInformers = new DynamicSharedInformerFactory(new DynamicClient(rest));
  stops.push(() => Promise.all([informers.shutdown(), dynamicInformers.shutdown()]));
  const happened: Happened[] = [];
  const queued: string[] = [];
  const { logger, lines: errors } = recordLogs();
  const observed: string[] = [];
  const metrics: Metrics = {
    counter: () => ({ add() {} }),
    gauge: () => ({ set() {} }),
    histogram: ({ name }) => ({ observe: (_, ...labels) => void observed.push(`${name}{${labels}}`) }),
  };
  const cache = new SchedulerCache();
  let onChange = (): void => {};
  const registrations = addEventHandlers({
    informers,
    dynamicInformers,
    cache,
    queue: {
      add: ({ metadata }) => void queued.push(metadata.name ?? ''),
      update() {},
      delete() {},
      moveAllToActiveOrBackoffQueue: (event, before, after) => {
        happened.push({ label: eventLabel(event), event, name: (after ?? before)?.metadata?.name });
        onChange();
      },
    },
    profiles: new Map([['default-scheduler', { waitingPods: { get: () => undefined, *[Symbol.iterator]() {} } }]]),
    actions,
    clock: new FakeClock(),
    logger,
    metrics,
    ...more,
  });
  informers.start();
  dynamicInformers.start();
  await waitForCacheSync(undefined, ...registrations);
  /** Resolves when an event with this label was passed on. */
  const until = (label: string): Promise<void> =>
    new Promise((resolve) => {
      onChange = () => happened.some((one) => one.label === label) && resolve();
      onChange();
    });
  return { transport, clients, cache, happened, queued, errors, observed, until };
}

it('counts pods on nodes, queues pods without a node, and ignores terminal pods', async () => {
  const { cache, clients, happened, observed, queued, until } = await start(new Map(), [
    named('v1', 'Node', 'n'),
    pod('runs', 'Running', 'n'),
    pod('waits', 'Pending'),
    pod('ended', 'Succeeded', 'n'),
  ]);
  expect(cache.node('n')?.pods.map(({ key }) => key)).toEqual(['x/runs']);
  expect(queued).toEqual(['waits']);
  const running = await clients.core.v1.pods('x').get('runs');
  await clients.core.v1.pods('x').updateStatus({ ...running, status: { phase: 'Failed' } });
  await until('AssignedPodDelete');
  expect(cache.node('n')?.pods).toEqual([]);
  expect(happened.map(({ label, name }) => `${label} ${name}`).sort()).toEqual([
    'AssignedPodAdd runs',
    'AssignedPodDelete runs',
    'NodeAdd n',
  ]);
  expect(observed).toContain('scheduler_event_handling_duration_seconds{NodeAdd}');
  expect(observed).toContain('scheduler_event_handling_duration_seconds{UnschedulablePodAdd}');
});

it('passes on events of other kinds only as plug-ins registered for them', async () => {
  const { transport, clients, happened, until } = await start(
    new Map([
      ['storage.k8s.io/StorageClass', Action.Add],
      ['PersistentVolume', Action.Delete | Action.Update],
    ]),
    [named('storage.k8s.io/v1', 'StorageClass', 'fast'), named('v1', 'PersistentVolume', 'v')],
  );
  await until('storage.k8s.io/StorageClassAdd');
  const volume = await clients.core.v1.persistentVolumes().get('v');
  await clients.core.v1.persistentVolumes().update({ ...volume, spec: { storageClassName: 'fast' } });
  await until('PersistentVolumeUpdate');
  await clients.storage.v1.storageClasses().delete('fast');
  await clients.core.v1.persistentVolumes().delete('v');
  await until('PersistentVolumeDelete');
  expect(happened.map(({ label, name }) => `${label} ${name}`)).toEqual([
    'storage.k8s.io/StorageClassAdd fast',
    'PersistentVolumeUpdate v',
    'PersistentVolumeDelete v',
  ]);
  expect(happened[1]?.event.action).toBe(Action.UpdateOther);
  const watched = new Set(transport.actions.filter(({ verb }) => verb === 'watch').map((one) => one.resource.resource));
  expect([...watched].sort()).toEqual(['nodes', 'persistentvolumes', 'pods', 'storageclasses']);
});

it('supports every kind that a default plug-in may register for', async () => {
  const kinds = ['CSINode', 'CSIDriver', 'VolumeAttachment', 'CSIStorageCapacity', 'StorageClass'].map(
    (kind) => `storage.k8s.io/${kind}`,
  );
  const devices = ['ResourceClaim', 'ResourceSlice', 'DeviceClass'].map((kind) => `resource.k8s.io/${kind}`);
  const all = ['PersistentVolume', 'PersistentVolumeClaim', ...kinds, ...devices];
  const { transport, errors } = await start(new Map(all.map((kind) => [kind, Action.All])));
  expect(errors).toEqual([]);
  const watched = transport.actions.filter(({ verb }) => verb === 'watch').map((one) => one.resource.resource);
  expect([...new Set(watched)].sort()).toEqual([
    'csidrivers',
    'csinodes',
    'csistoragecapacities',
    'deviceclasses',
    'nodes',
    'persistentvolumeclaims',
    'persistentvolumes',
    'pods',
    'resourceclaims',
    'resourceslices',
    'storageclasses',
    'volumeattachments',
  ]);
});

it('watches custom kinds, and logs an error for invalid names', async () => {
  const { errors, happened, until } = await start(
    new Map([
      ['foos.v1.example.com', Action.Add],
      ['foos.v1', Action.Add],
    ]),
    [named('example.com/v1', 'Foo', 'f')],
  );
  await until('foos.v1.example.comAdd');
  expect(happened).toMatchObject([{ name: 'f', event: { resource: 'foos.v1.example.com', action: Action.Add } }]);
  expect(errors).toEqual([
    'error "Incorrect event registration: the form is <resource>.<version>.<group>" gvk="foos.v1"',
  ]);
});

it('receives events from a source given instead of the informer', async () => {
  const handlers: ResourceEventHandler<KubernetesObject>[] = [];
  const source = {
    addEventHandler: (handler: ResourceEventHandler<KubernetesObject>) => {
      handlers.push(handler);
      return { hasSynced: () => true, whenSynced: () => Promise.resolve() };
    },
  };
  const claims = 'resource.k8s.io/ResourceClaim';
  const { happened } = await start(new Map([[claims, Action.Add]]), [], { sources: new Map([[claims, source]]) });
  await handlers[0]?.onAdd?.(named('resource.k8s.io/v1', 'ResourceClaim', 'c'), false);
  expect(happened).toMatchObject([{ label: 'resource.k8s.io/ResourceClaimAdd', name: 'c' }]);
});
