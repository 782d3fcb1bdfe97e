import type { KubernetesObject } from '@coxswain/apimachinery';
import type { Lister } from '../registry/lister.ts';

export interface Following {
  /** Resolves when everything stored at the start has been applied. */
  readonly synced: Promise<void>;
  stop(): void;
}

/**
 * Calls `apply` for all objects of a lister and then for every change, with `object` undefined for a deletion. It may
 * be called again with the same object.
 */
export function follow<T extends KubernetesObject>(
  lister: Lister<T>,
  apply: (namespace: string, name: string, object: T | undefined) => void,
): Following {
  const tell = (object: T | undefined, identity = object) =>
    apply(identity?.metadata?.namespace ?? '', identity?.metadata?.name ?? '', object);
  let stopped = false;
  const stopTelling = lister.onChange((object, old) => tell(object, object ?? old));
  const all = () => {
    if (stopped) return;
    for (const object of lister.list()) tell(object);
  };
  all();
  // Again, since objects that arrive before the lister has synced need not be reported as changes.
  const synced = lister.synced.then(all);
  return {
    synced,
    stop() {
      stopped = true;
      stopTelling();
    },
  };
}
