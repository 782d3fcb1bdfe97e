import { getControllerOfNoCopy, type KubernetesObject } from '@coxswain/apimachinery/meta';
import { semanticEqual } from '@coxswain/apimachinery/validation';
import { deletedObject, metaNamespaceKey, type ResourceEventHandler } from '@coxswain/client';

/** Callbacks for the events of owned objects. */
interface OwnedObjectWatcher<T> {
  /** `OwnerLookup` implements both methods. */
  readonly owners: {
    /** Returns the object's controller, if it is of the kind being watched. */
    ownerOf(object: KubernetesObject): T | undefined;
    /** Returns the owners that would adopt the object if it had no controller. */
    adoptersOf(object: KubernetesObject): readonly T[];
  };
  enqueue(owner: T): void;
  created?(owner: T): void;
  deleted?(owner: T, objectKey: string): void;
}

/**
 * Returns a handler that queues the owners affected by an object's event: its controller, its previous controller, and for an
 * orphan those that would adopt it. An object counts as deleted as soon as it has a deletion timestamp, so that it is replaced at
 * once.
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
      // After a restart the first list may contain objects that are being deleted. They are not creations.
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
