import type { EndpointSlice } from '@coxswain/api/discovery/v1';
import type { ResourceEventHandler } from '@coxswain/client';
import { deletedObject } from '@coxswain/client';
import { isManagedBy, type SliceTracker, serviceKeyOf } from './slice-tracker.ts';

export interface OwnSliceWatcher {
  /** The value of the managed-by label on the controller's slices. */
  readonly managedBy: string;
  readonly tracker: SliceTracker;
  enqueue(serviceKey: string): void;
}

/**
 * Returns a handler that queues the services whose slices were changed by other clients. Events of the controller's own writes
 * are ignored.
 */
export function ownSliceHandler({ managedBy, tracker, enqueue }: OwnSliceWatcher): ResourceEventHandler<EndpointSlice> {
  const enqueueFor = (slice: EndpointSlice): void => {
    const key = serviceKeyOf(slice);
    if (key !== undefined) enqueue(key);
  };
  return {
    onAdd: (slice) => {
      if (isManagedBy(slice, managedBy) && tracker.isNews(slice)) enqueueFor(slice);
    },
    onUpdate: (old, slice) => {
      const isOurs = isManagedBy(slice, managedBy);
      const isMoved = serviceKeyOf(old) !== serviceKeyOf(slice);
      const isHandedOver = isOurs !== isManagedBy(old, managedBy);
      // Differs from upstream: a slice that was taken away is no longer expected in the cache, so the service is not retried in
      // vain.
      if (isMoved || isHandedOver) tracker.forgetSlice(old);
      if (isMoved) enqueueFor(old);
      if (isMoved || isHandedOver || (isOurs && tracker.isNews(slice))) enqueueFor(slice);
    },
    onDelete: (deleted) => {
      const slice = deletedObject(deleted);
      if (isManagedBy(slice, managedBy) && tracker.isLost(slice)) enqueueFor(slice);
    },
  };
}
