import type { EndpointSlice } from '@coxswain/api/discovery/v1';
import { type Indexer, metaNamespaceKey, type SharedIndexInformer } from '@coxswain/client';
import { managedByLabel, serviceNameLabel } from './slice-metadata.ts';

const serviceIndex = 'service';

/** Returns the key of the service in the slice's label, or undefined without the label. */
export function serviceKeyOf({ metadata: { namespace, labels } }: EndpointSlice): string | undefined {
  const name = labels?.[serviceNameLabel];
  return name ? `${namespace}/${name}` : undefined;
}

/** Adds the index that `slicesOf` uses. Does nothing when it exists. */
export function addServiceIndex(slices: SharedIndexInformer<EndpointSlice>): void {
  if (slices.indexer.hasIndex(serviceIndex)) return;
  slices.addIndexers({
    [serviceIndex]: (slice) => {
      const key = serviceKeyOf(slice);
      return key === undefined ? [] : [key];
    },
  });
}

/** Returns the slices of a service that one controller manages. */
export const slicesOf = (slices: Indexer<EndpointSlice>, serviceKey: string, managedBy: string): EndpointSlice[] =>
  slices.byIndex(serviceIndex, serviceKey).filter((slice) => isManagedBy(slice, managedBy));

export const isManagedBy = ({ metadata }: EndpointSlice, controller: string): boolean =>
  metadata.labels?.[managedByLabel] === controller;

/**
 * Records the slices that were written for each service, to detect changes by other clients and a stale cache. Holds the
 * generation of every written slice, or null for a deleted one until its deletion is observed.
 */
export class SliceTracker {
  readonly #services = new Map<string, Map<string, number | null>>();

  /** Whether the slice was written or deleted by this controller. */
  has(slice: EndpointSlice): boolean {
    return this.#of(slice)?.has(uidOf(slice)) ?? false;
  }

  /** Whether the slice was not written by this controller, or was changed since. */
  isNews(slice: EndpointSlice): boolean {
    const known = this.#of(slice)?.get(uidOf(slice));
    return known === undefined || (slice.metadata.generation ?? 0) > (known ?? -1);
  }

  /** Whether the slices are older than what was written: a slice has an older generation, is missing, or should be deleted. */
  areStale(serviceKey: string, slices: readonly EndpointSlice[]): boolean {
    const known = this.#services.get(serviceKey);
    if (!known) return false;
    const given = new Map(slices.map((slice) => [uidOf(slice), slice.metadata.generation ?? 0]));
    for (const [uid, generation] of known) {
      const actual = given.get(uid);
      if (generation === null ? actual !== undefined : actual === undefined || actual < generation) return true;
    }
    return false;
  }

  written(slice: EndpointSlice): void {
    this.#set(slice, slice.metadata.generation ?? 0);
  }

  deleted(slice: EndpointSlice): void {
    this.#set(slice, null);
  }

  /** Must be called when the deletion of a slice is observed. Returns whether another client deleted it. */
  isLost(slice: EndpointSlice): boolean {
    const generation = this.#of(slice)?.get(uidOf(slice));
    this.forgetSlice(slice);
    return typeof generation === 'number';
  }

  /** Stops expecting anything of the slice. */
  forgetSlice(slice: EndpointSlice): void {
    this.#of(slice)?.delete(uidOf(slice));
  }

  forget(serviceKey: string): void {
    this.#services.delete(serviceKey);
  }

  #of(slice: EndpointSlice): Map<string, number | null> | undefined {
    return this.#services.get(serviceKeyOf(slice) ?? metaNamespaceKey(slice));
  }

  #set(slice: EndpointSlice, generation: number | null): void {
    let known = this.#of(slice);
    if (!known) {
      known = new Map();
      this.#services.set(serviceKeyOf(slice) ?? metaNamespaceKey(slice), known);
    }
    known.set(uidOf(slice), generation);
  }
}

const uidOf = ({ metadata }: EndpointSlice): string => metadata.uid ?? '';
