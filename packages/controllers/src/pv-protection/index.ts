/** Protects bound PersistentVolumes from deletion, by a finalizer. */
import type { PersistentVolume } from '@coxswain/api/core/v1';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import {
  isDeletionCandidate,
  needsFinalizer,
  withFinalizer,
  withoutFinalizer,
} from '../framework/finalizers/finalizers.ts';

export const pvProtectionController: ControllerDefinition = {
  name: 'persistentvolume-protection-controller',
  aliases: ['pv-protection'],
  create: newController,
};

const finalizer = 'kubernetes.io/pv-protection';

function newController(context: ControllerContext): Controller {
  const { informer } = context.informers.core.v1.persistentVolumes;
  const volumes = context.clients.core.v1.persistentVolumes();
  const loop = new ReconcileLoop(context, {
    name: 'pvprotection',
    workers: 1,
    synced: [informer],
    reconcile: async (name) => {
      const volume = informer.indexer.getByKey(name);
      if (!volume) return;
      if (isDeletionCandidate(volume, finalizer) && volume.status?.phase !== 'Bound')
        await volumes.update(withoutFinalizer(volume, finalizer));
      // Admission adds the finalizer to new volumes. This handles older ones.
      if (needsFinalizer(volume, finalizer)) await volumes.update(withFinalizer(volume, finalizer));
    },
  });
  const onChange = (volume: PersistentVolume): void => {
    if (needsFinalizer(volume, finalizer) || isDeletionCandidate(volume, finalizer)) loop.add(volume);
  };
  informer.addEventHandler({ onAdd: onChange, onUpdate: (_, volume) => onChange(volume) });
  return loop;
}
