/** Creates the PersistentVolumeClaims of pods' generic ephemeral volumes. */

import type { PersistentVolumeClaim, Pod, Volume } from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import { deletedObject } from '@coxswain/client';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import {
  addClaimIndex,
  ephemeralClaimName,
  isClaimOfPod,
  notClaimOfPod,
  podsWithClaim,
} from '../framework/volumes/claim-pods.ts';

export const ephemeralVolumeController: ControllerDefinition = {
  name: 'ephemeral-volume-controller',
  aliases: ['ephemeral-volume'],
  create: newController,
};

function newController(context: ControllerContext): Controller {
  const pods = context.informers.core.v1.pods.informer;
  const claims = context.informers.core.v1.persistentVolumeClaims.informer;
  const recorder = context.recorder('ephemeral_volume');
  const { resource } = context.clients.core.v1.pods();
  const loop = new ReconcileLoop(context, {
    name: 'ephemeral_volume',
    synced: [pods, claims],
    reconcile: async (key) => {
      const pod = pods.indexer.getByKey(key);
      if (!pod || pod.metadata.deletionTimestamp) return;
      for (const volume of pod.spec?.volumes ?? []) {
        if (!volume.ephemeral) continue;
        try {
          await ensureClaim(context, pod, volume);
        } catch (error) {
          const message = `ephemeral volume ${volume.name}: ${messageOf(error)}`;
          recorder.event(pod, 'Warning', 'FailedBinding', message, { kind: resource });
          throw new Error(`pod ${key}, ${message}`, { cause: error });
        }
      }
    },
  });
  addClaimIndex(pods);
  const onPod = (pod: Pod): void => {
    if (!pod.metadata.deletionTimestamp && pod.spec?.volumes?.some(({ ephemeral }) => ephemeral)) loop.add(pod);
  };
  // The volumes of a pod are immutable, and the garbage collector deletes its claims, so only additions matter.
  pods.addEventHandler({ onAdd: onPod });
  claims.addEventHandler({
    onDelete: (deleted) => {
      const { namespace, name } = deletedObject(deleted).metadata;
      podsWithClaim(pods.indexer, `${namespace}/${name}`).forEach(onPod);
    },
  });
  return loop;
}

async function ensureClaim({ clients, informers }: ControllerContext, pod: Pod, volume: Volume): Promise<void> {
  const { namespace = '' } = pod.metadata;
  const name = ephemeralClaimName(pod, volume);
  const known = informers.core.v1.persistentVolumeClaims.informer.indexer.getByKey(`${namespace}/${name}`);
  if (known) {
    if (!isClaimOfPod(pod, known)) throw new Error(notClaimOfPod(pod, known));
    return;
  }
  try {
    await clients.core.v1.persistentVolumeClaims(namespace).create(claimFor(pod, volume));
  } catch (error) {
    throw new Error(`create PVC ${name}: ${messageOf(error)}`, { cause: error });
  }
}

/** Returns the claim for the volume's template, with the pod as its owner. */
function claimFor(pod: Pod, volume: Volume): PersistentVolumeClaim {
  const { metadata = {}, spec } = volume.ephemeral?.volumeClaimTemplate ?? {};
  const { name = '', uid = '' } = pod.metadata;
  return {
    metadata: {
      name: ephemeralClaimName(pod, volume),
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true, blockOwnerDeletion: true }],
      ...(metadata.annotations && { annotations: metadata.annotations }),
      ...(metadata.labels && { labels: metadata.labels }),
    },
    ...(spec && { spec }),
  };
}
