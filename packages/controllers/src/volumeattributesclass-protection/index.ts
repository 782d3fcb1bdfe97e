/** Protects VolumeAttributesClasses that volumes or claims reference from deletion, by a finalizer. */

import type { PersistentVolume, PersistentVolumeClaim } from '@coxswain/api/core/v1';
import type { VolumeAttributesClass } from '@coxswain/api/storage/v1';
import type { SharedIndexInformer } from '@coxswain/client';
import { deletedObject } from '@coxswain/client';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import {
  isDeletionCandidate,
  needsFinalizer,
  withFinalizer,
  withoutFinalizer,
} from '../framework/finalizers/finalizers.ts';

export const volumeAttributesClassProtectionController: ControllerDefinition = {
  name: 'volumeattributesclass-protection-controller',
  aliases: [],
  create: newController,
};

const finalizer = 'kubernetes.io/vac-protection';
const classIndex = 'volumeAttributesClass';

function newController(context: ControllerContext): Controller {
  const { persistentVolumes, persistentVolumeClaims } = context.informers.core.v1;
  const { informer } = context.informers.storage.v1.volumeAttributesClasses;
  const classes = context.clients.storage.v1.volumeAttributesClasses();
  const isUsed = (name: string): boolean =>
    persistentVolumes.informer.indexer.countByIndex(classIndex, name) > 0 ||
    persistentVolumeClaims.informer.indexer.countByIndex(classIndex, name) > 0;
  const loop = new ReconcileLoop(context, {
    name: 'vacprotection',
    workers: 1,
    synced: [informer, persistentVolumes.informer, persistentVolumeClaims.informer],
    reconcile: async (name) => {
      const known = informer.indexer.getByKey(name);
      if (!known) return;
      if (isDeletionCandidate(known, finalizer) && !isUsed(name))
        await classes.update(withoutFinalizer(known, finalizer));
      if (needsFinalizer(known, finalizer)) await classes.update(withFinalizer(known, finalizer));
    },
  });
  const onChange = (changed: VolumeAttributesClass): void => {
    if (needsFinalizer(changed, finalizer) || isDeletionCandidate(changed, finalizer)) loop.add(changed);
  };
  informer.addEventHandler({ onAdd: onChange, onUpdate: (_, changed) => onChange(changed) });
  const enqueue = (name: string): void => loop.queue.add(name);
  watchUsers(persistentVolumes.informer, volumeClasses, enqueue);
  watchUsers(persistentVolumeClaims.informer, claimClasses, enqueue);
  return loop;
}

const unique = (names: readonly (string | undefined)[]): string[] =>
  [...new Set(names.filter((name) => name !== undefined && name !== ''))] as string[];

const volumeClasses = ({ spec }: PersistentVolume): string[] => unique([spec?.volumeAttributesClassName]);

/** Includes the current class of the volume and the one that it is being changed to. */
const claimClasses = ({ spec, status }: PersistentVolumeClaim): string[] =>
  unique([
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ]);

/** Calls `onRelease` with every class that an object no longer references. */
function watchUsers<T extends PersistentVolume | PersistentVolumeClaim>(
  informer: SharedIndexInformer<T>,
  classesOf: (user: T) => string[],
  onRelease: (name: string) => void,
): void {
  if (!informer.indexer.hasIndex(classIndex)) informer.addIndexers({ [classIndex]: classesOf });
  informer.addEventHandler({
    onUpdate: (old, user) => {
      const still = classesOf(user);
      for (const name of classesOf(old)) if (!still.includes(name)) onRelease(name);
    },
    onDelete: (deleted) => classesOf(deletedObject(deleted)).forEach(onRelease),
  });
}
