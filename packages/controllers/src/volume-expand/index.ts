/**
 * Records an event on claims that users have enlarged. CSI drivers have their own resizers, and the in-tree plugins of cloud
 * providers were removed, so nothing is expanded here.
 *
 * Differs from upstream: FlexVolumes, which only a kubelet could expand, are not marked as expanded either.
 */

import type { PersistentVolume, PersistentVolumeClaim } from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import { Quantity } from '@coxswain/apimachinery/quantity';
import { migratedPlugin } from '@coxswain/component-helpers';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';

export const volumeExpandController: ControllerDefinition = {
  name: 'persistentvolume-expander-controller',
  aliases: ['persistentvolume-expander'],
  create: newController,
};

const resizerAnnotation = 'volume.kubernetes.io/storage-resizer';
const preResizeAnnotation = 'volume.alpha.kubernetes.io/pre-resize-capacity';

function newController(context: ControllerContext): Controller {
  const { persistentVolumes, persistentVolumeClaims } = context.informers.core.v1;
  const { informer } = persistentVolumeClaims;
  const loop = new ReconcileLoop(context, {
    name: 'volume_expand',
    workers: 10,
    synced: [informer, persistentVolumes.informer],
    reconcile: async (key) => {
      const claim = informer.indexer.getByKey(key);
      const volume = persistentVolumes.informer.indexer.getByKey(claim?.spec?.volumeName ?? '');
      // In most cases the caches show that there is nothing to do. Otherwise the server is asked.
      if (claim && !(volume && isSettled(claim, volume))) await tellWhoExpands(context, claim, key);
    },
  });
  const enqueue = (claim: PersistentVolumeClaim): void => {
    if (claim.status?.phase === 'Bound') loop.add(claim);
  };
  informer.addEventHandler({
    onAdd: enqueue,
    onUpdate: (old, claim) => {
      if (requested(claim).cmp(requested(old)) > 0 || capacity(claim).cmp(capacity(old)) > 0) enqueue(claim);
    },
  });
  return loop;
}

async function tellWhoExpands(context: ControllerContext, claim: PersistentVolumeClaim, key: string): Promise<void> {
  const { clients } = context;
  const { namespace = '', uid } = claim.metadata;
  const claims = clients.core.v1.persistentVolumeClaims(namespace);
  const volume = await getVolume(context, claim.spec?.volumeName ?? '');
  const { claimRef } = volume.spec ?? {};
  if (claimRef?.namespace !== namespace || claimRef.uid !== uid)
    throw new Error(`persistent Volume is not bound to PVC being updated : ${key}`);
  if (isSettled(claim, volume)) return;

  const recorder = context.recorder('volume_expand');
  const tell = (message: string): void =>
    recorder.event(claim, 'Normal', 'ExternalExpanding', message, { kind: claims.resource });
  const plugin = migratedPlugin(volume);
  if (!plugin) return tell('waiting for an external controller to expand this PVC');
  tell(`CSI migration enabled for ${plugin.name}; waiting for external resizer to expand the pvc`);
  if (claim.metadata.annotations?.[resizerAnnotation] === plugin.driver) return;
  await claims.patchStatus(claim.metadata.name ?? '', 'merge', {
    metadata: { annotations: { [resizerAnnotation]: plugin.driver } },
  });
}

/** Whether the claim and its volume have the requested size. */
const isSettled = (claim: PersistentVolumeClaim, { metadata }: PersistentVolume): boolean =>
  requested(claim).cmp(capacity(claim)) <= 0 && metadata.annotations?.[preResizeAnnotation] === undefined;

async function getVolume({ clients }: ControllerContext, name: string): Promise<PersistentVolume> {
  try {
    return await clients.core.v1.persistentVolumes().get(name);
  } catch (error) {
    const reason = messageOf(error);
    throw new Error(`failed to get PV ${JSON.stringify(name)}: ${reason}`, { cause: error });
  }
}

const requested = ({ spec }: PersistentVolumeClaim): Quantity => quantity(spec?.resources?.requests);
const capacity = ({ status }: PersistentVolumeClaim): Quantity => quantity(status?.capacity);
const quantity = (resources: Readonly<Record<string, string>> | undefined): Quantity =>
  Quantity.parse(resources?.storage ?? '0');
