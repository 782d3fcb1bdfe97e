import type { KubernetesObject } from '@coxswain/apimachinery';
import type { Lister } from '../registry/lister.ts';

export interface Following {
  /** Everything that was stored at the start has been applied. */
  readonly synced: Promise<void>;
  stop(): void;
}

/**
 * Keeps something derived from the objects of a lister current: `apply` gets what is there and then every change,
 * `object` absent for what is gone. It may get the same object again.
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
  // Again, because nobody promises that what arrives before the lister is complete is told as a change.
  const synced = lister.synced.then(all);
  return {
    synced,
    stop() {
      stopped = true;
      stopTelling();
    },
  };
}
