/** Protects PodGroups with active pods from deletion, by a finalizer that admission adds. */

import type { Pod } from '@coxswain/api/core/v1';
import { deletedObject, splitKey } from '@coxswain/client';
import { isPodTerminal } from '@coxswain/component-helpers';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { isDeletionCandidate, withoutFinalizer } from '../framework/finalizers/finalizers.ts';

export const podGroupProtectionController: ControllerDefinition = {
  name: 'podgroup-protection-controller',
  aliases: [],
  needs: [{ group: 'scheduling.k8s.io', version: 'v1alpha2', resource: 'podgroups' }],
  create: newController,
};

const finalizer = 'scheduling.k8s.io/podgroup-protection';
const activePodIndex = 'activePodSchedulingGroup';

function newController(context: ControllerContext): Controller {
  const pods = context.informers.core.v1.pods.informer;
  const groups = context.informers.scheduling.v1alpha2.podGroups.informer;
  pods.addIndexers({ [activePodIndex]: (pod: Pod) => (isPodTerminal(pod) ? [] : groupKeys(pod)) });
  const loop = new ReconcileLoop(context, {
    name: 'podgroupprotection',
    synced: [groups, pods],
    reconcile: async (key) => {
      const group = groups.indexer.getByKey(key);
      if (!group || !isDeletionCandidate(group, finalizer)) return;
      if (pods.indexer.countByIndex(activePodIndex, key) > 0) return;
      const { namespace } = splitKey(key);
      await context.clients.scheduling.v1alpha2.podGroups(namespace).update(withoutFinalizer(group, finalizer));
    },
  });
  const onGroup = (group: Parameters<typeof isDeletionCandidate>[0]): void => {
    if (isDeletionCandidate(group, finalizer)) loop.add(group);
  };
  groups.addEventHandler({ onAdd: onGroup, onUpdate: (_, group) => onGroup(group) });
  const onRelease = (pod: Pod): void => {
    for (const key of groupKeys(pod)) loop.queue.add(key);
  };
  const onPod = (pod: Pod): void => {
    if (isPodTerminal(pod)) onRelease(pod);
  };
  pods.addEventHandler({
    onAdd: onPod,
    onUpdate: (old, pod) => {
      onPod(pod);
      // The uid changed: the deletion of the first pod was not observed.
      if (old.metadata.uid !== pod.metadata.uid) onRelease(old);
    },
    onDelete: (deleted) => onRelease(deletedObject(deleted)),
  });
  return loop;
}

/** Returns the key of the pod's group, if any. */
function groupKeys({ metadata, spec }: Pod): string[] {
  const name = spec?.schedulingGroup?.podGroupName;
  return name === undefined ? [] : [`${metadata.namespace}/${name}`];
}
