import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import { ClientSet, FakeClock, noMetrics, RESTClient, SharedInformerFactory, silentLogger } from '@coxswain/client';
import { FakeTransport } from '@coxswain/client/testing';
import type { Handle } from '../framework/handle.ts';
import type { NodeInfo } from '../framework/node-info.ts';
import { RowVersions } from '../framework/row-versions.ts';

/**
 * A handle with what volume plug-ins use. The informers' caches contain the objects, and the server accepts every
 * update.
 */
export function volumeHandle(nodes: readonly NodeInfo[], objects: readonly KubernetesObject[]) {
  const transport = new FakeTransport();
  transport.prependReactor('update', '*', ({ object }) => object);
  const clients = new ClientSet(new RESTClient(transport));
  const informers = new SharedInformerFactory(clients);
  const { core, storage } = informers;
  const byKind: Record<string, { indexer: { add(object: never): void } }> = {
    Node: core.v1.nodes.informer,
    Pod: core.v1.pods.informer,
    PersistentVolume: core.v1.persistentVolumes.informer,
    PersistentVolumeClaim: core.v1.persistentVolumeClaims.informer,
    StorageClass: storage.v1.storageClasses.informer,
    CSINode: storage.v1.csiNodes.informer,
    CSIDriver: storage.v1.csiDrivers.informer,
    CSIStorageCapacity: storage.v1.csiStorageCapacities.informer,
    VolumeAttachment: storage.v1.volumeAttachments.informer,
  };
  for (const object of objects) byKind[object.kind ?? '']?.indexer.add(object as never);
  const clock = new FakeClock();
  const handle = {
    clients,
    informers,
    clock,
    logger: silentLogger,
    metrics: noMetrics,
    random: () => 0.5,
    snapshot: () => ({
      nodes,
      versions: new RowVersions(),
      nodesWithAffinity: [],
      nodesWithRequiredAntiAffinity: [],
      get: (name: string) => nodes.find((node) => node.name === name),
      isClaimUsed: (key: string) => nodes.some(({ pvcRefCounts }) => pvcRefCounts.has(key)),
    }),
  } as Partial<Handle> as Handle;
  return { handle, clock, actions: () => transport.actions };
}
