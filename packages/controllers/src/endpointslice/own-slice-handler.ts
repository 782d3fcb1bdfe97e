import type { EndpointSlice } from '@coxswain/api/discovery/v1';
import type { ResourceEventHandler } from '@coxswain/client';
import { deletedObject } from '../framework/deleted-object.ts';
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
      if (isMoved) enqueueFor(old);
      if (isMoved || isOurs !== isManagedBy(old, managedBy) || (isOurs && tracker.isNews(slice))) enqueueFor(slice);
    },
    onDelete: (deleted) => {
      const slice = deletedObject(deleted);
      if (isManagedBy(slice, managedBy) && tracker.isLost(slice)) enqueueFor(slice);
    },
  };
}
