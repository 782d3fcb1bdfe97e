import { getControllerOfNoCopy, type KubernetesObject } from '@coxswain/apimachinery/meta';
import type { Indexer, SharedIndexInformer } from '@coxswain/client';

const controllerIndex = 'controller';

/** No uid begins with a slash. */
const orphansOf = (namespace: string | undefined): string => `/${namespace ?? ''}`;

/** Lets `controlledBy` and `orphansIn` find the informer's objects without going through all of them. Harmless when called twice. */
export function addControllerIndex<T extends KubernetesObject>(informer: SharedIndexInformer<T>): void {
  if (informer.indexer.hasIndex(controllerIndex)) return;
  informer.addIndexers({
    [controllerIndex]: (object) => [getControllerOfNoCopy(object)?.uid ?? orphansOf(object.metadata?.namespace)],
  });
}

/** The objects whose controller is the one of that uid. */
export const controlledBy = <T extends KubernetesObject>(indexer: Indexer<T>, uid: string): T[] =>
  indexer.byIndex(controllerIndex, uid);

/** The namespace's objects that have no controller. */
export const orphansIn = <T extends KubernetesObject>(indexer: Indexer<T>, namespace: string | undefined): T[] =>
  indexer.byIndex(controllerIndex, orphansOf(namespace));
