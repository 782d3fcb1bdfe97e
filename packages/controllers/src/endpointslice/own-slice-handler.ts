import type { EndpointSlice } from '@coxswain/api/discovery/v1';
import type { ResourceEventHandler } from '@coxswain/client';
import { deletedObject } from '@coxswain/client';
import { isManagedBy, type SliceTracker, serviceKeyOf } from './slice-tracker.ts';

export interface OwnSliceWatcher {
  /** The value of the label by which slices are ours. */
  readonly managedBy: string;
  readonly tracker: SliceTracker;
  enqueue(serviceKey: string): void;
}

/** Finds out which services have slices that somebody else has changed: only our own writes need no second look. */
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
      // Differs from upstream: what somebody took away is not waited for until the retries are over.
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
