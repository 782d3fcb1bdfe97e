import { getControllerOfNoCopy, type KubernetesObject } from '@coxswain/apimachinery/meta';
import { semanticEqual } from '@coxswain/apimachinery/validation';
import { deletedObject, metaNamespaceKey, type ResourceEventHandler } from '@coxswain/client';

/** What there is to do when something happens to objects that others own. */
interface OwnedObjectWatcher<T> {
  /** An `OwnerLookup` has both of these. */
  readonly owners: {
    /** The object that controls the given one, if it is of the kind that is watched for. */
    ownerOf(object: KubernetesObject): T | undefined;
    /** Those that would adopt it if it had no controller. */
    adoptersOf(object: KubernetesObject): readonly T[];
  };
  enqueue(owner: T): void;
  created?(owner: T): void;
  deleted?(owner: T, objectKey: string): void;
}

/**
 * Finds out whom a change of an object concerns: its controller, the one it had before, and for an object without one those
 * that would like to have it. It counts as deleted as soon as its deletion begins, so that it is replaced at once.
 */
export function ownedObjectHandler<O extends KubernetesObject, T>(
  watcher: OwnedObjectWatcher<T>,
): ResourceEventHandler<O> {
  const { owners } = watcher;
  const onDelete = (object: O): void => {
    const owner = owners.ownerOf(object);
    if (!owner) return;
    watcher.deleted?.(owner, metaNamespaceKey(object));
    watcher.enqueue(owner);
  };
  const offerOrphan = (object: O): void => {
    for (const adopter of owners.adoptersOf(object)) watcher.enqueue(adopter);
  };
  return {
    onAdd: (object) => {
      // Just started, one may find objects whose deletion has begun: those are no creations.
      if (object.metadata?.deletionTimestamp) return onDelete(object);
      if (!getControllerOfNoCopy(object)) return offerOrphan(object);
      const owner = owners.ownerOf(object);
      if (!owner) return;
      watcher.created?.(owner);
      watcher.enqueue(owner);
    },
    onUpdate: (old, object) => {
      const controller = getControllerOfNoCopy(object);
      const hasControllerChanged = !semanticEqual(controller, getControllerOfNoCopy(old));
      const former = hasControllerChanged && owners.ownerOf(old);
      if (former) watcher.enqueue(former);
      if (object.metadata?.deletionTimestamp) return onDelete(object);
      const owner = owners.ownerOf(object);
      if (owner) watcher.enqueue(owner);
      else if (!controller && (hasControllerChanged || !semanticEqual(old.metadata?.labels, object.metadata?.labels))) {
        offerOrphan(object);
      }
    },
    onDelete: (deleted) => onDelete(deletedObject(deleted)),
  };
}
