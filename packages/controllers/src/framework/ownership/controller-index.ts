import { getControllerOfNoCopy, type KubernetesObject } from '@coxswain/apimachinery/meta';
import type { Indexer, SharedIndexInformer } from '@coxswain/client';

const controllerIndex = 'controller';

/** The index key of the namespace's orphans. The slash keeps it apart from uids. */
const orphansOf = (namespace: string | undefined): string => `/${namespace ?? ''}`;

/** Adds the index that `controlledBy` and `orphansIn` use. Does nothing when it exists. */
export function addControllerIndex<T extends KubernetesObject>(informer: SharedIndexInformer<T>): void {
  if (informer.indexer.hasIndex(controllerIndex)) return;
  informer.addIndexers({
    [controllerIndex]: (object) => [getControllerOfNoCopy(object)?.uid ?? orphansOf(object.metadata?.namespace)],
  });
}

/** Returns the objects whose controller reference has this uid. */
export const controlledBy = <T extends KubernetesObject>(indexer: Indexer<T>, uid: string): T[] =>
  indexer.byIndex(controllerIndex, uid);

/** Returns the namespace's objects that have no controller reference. */
export const orphansIn = <T extends KubernetesObject>(indexer: Indexer<T>, namespace: string | undefined): T[] =>
  indexer.byIndex(controllerIndex, orphansOf(namespace));
