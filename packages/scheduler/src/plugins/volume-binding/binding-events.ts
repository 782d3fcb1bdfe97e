import type { PersistentVolumeClaim } from '@coxswain/api/core/v1';
import type { CSIDriver, CSINode, CSIStorageCapacity, StorageClass } from '@coxswain/api/storage/v1';
import { Action, type ClusterEventWithHint } from '../../framework/cluster-event.ts';
import { hintAbout, queueIf } from '../../framework/queueing-hint.ts';
import { usesClaim } from '../../volumes/claims.ts';
import { volumeLimit } from './provisioning.ts';
import { migratedPluginsAnnotation } from './volume-access.ts';

/** The events that may help a pod whose volumes no node could use. */
export const bindingEvents: readonly ClusterEventWithHint[] = [
  {
    event: { resource: 'storage.k8s.io/StorageClass', action: Action.Add | Action.Update },
    hint: hintAbout<StorageClass>((_pod, before, after) =>
      queueIf(!before || topologyOf(before) !== topologyOf(after)),
    ),
  },
  {
    event: { resource: 'PersistentVolumeClaim', action: Action.Add | Action.Update },
    hint: hintAbout<PersistentVolumeClaim>((pod, _before, claim) => queueIf(!!claim && usesClaim(pod, claim))),
  },
  { event: { resource: 'PersistentVolume', action: Action.Add | Action.Update } },
  { event: { resource: 'Node', action: Action.Add | Action.UpdateNodeLabel } },
  {
    event: { resource: 'storage.k8s.io/CSINode', action: Action.Add | Action.Update },
    hint: hintAbout<CSINode>((_pod, before, after) => queueIf(!before || migratedOn(before) !== migratedOn(after))),
  },
  {
    event: { resource: 'storage.k8s.io/CSIDriver', action: Action.Update },
    hint: hintAbout<CSIDriver>((pod, before, after) => {
      const isUsed = pod.spec?.volumes?.some(({ csi }) => csi && csi.driver === after?.metadata.name);
      return queueIf(!!isUsed && !!before?.spec.storageCapacity && !after?.spec.storageCapacity);
    }),
  },
  {
    event: { resource: 'storage.k8s.io/CSIStorageCapacity', action: Action.Add | Action.Update },
    hint: hintAbout<CSIStorageCapacity>((_pod, before, after) => queueIf(!before || !after || hasMore(before, after))),
  },
];

const topologyOf = (storageClass: StorageClass | undefined): string =>
  JSON.stringify(storageClass?.allowedTopologies ?? []);

const migratedOn = (csiNode: CSINode | undefined): string =>
  csiNode?.metadata.annotations?.[migratedPluginsAnnotation] ?? '';

function hasMore(before: CSIStorageCapacity, after: CSIStorageCapacity): boolean {
  const [was, is] = [volumeLimit(before), volumeLimit(after)];
  return is !== undefined && (was === undefined || is.cmp(was) > 0);
}
