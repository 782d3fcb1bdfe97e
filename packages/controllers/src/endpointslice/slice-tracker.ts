import type { EndpointSlice } from '@coxswain/api/discovery/v1';
import { type Indexer, metaNamespaceKey, type SharedIndexInformer } from '@coxswain/client';
import { managedByLabel, serviceNameLabel } from './slice-metadata.ts';

const serviceIndex = 'service';

/** The key of the service that the slice is for; undefined when it names none. */
export function serviceKeyOf({ metadata: { namespace, labels } }: EndpointSlice): string | undefined {
  const name = labels?.[serviceNameLabel];
  return name ? `${namespace}/${name}` : undefined;
}

/** Lets `slicesOf` find slices without going through all. Harmless when called twice. */
export function addServiceIndex(slices: SharedIndexInformer<EndpointSlice>): void {
  if (slices.indexer.hasIndex(serviceIndex)) return;
  slices.addIndexers({
    [serviceIndex]: (slice) => {
      const key = serviceKeyOf(slice);
      return key === undefined ? [] : [key];
    },
  });
}

/** The slices of a service that one controller manages. */
export const slicesOf = (slices: Indexer<EndpointSlice>, serviceKey: string, managedBy: string): EndpointSlice[] =>
  slices.byIndex(serviceIndex, serviceKey).filter((slice) => isManagedBy(slice, managedBy));

export const isManagedBy = ({ metadata }: EndpointSlice, controller: string): boolean =>
  metadata.labels?.[managedByLabel] === controller;

/**
 * Remembers what was written for each service, to tell what others did, and a cache that is behind. Holds the generation of
 * every slice that was written, or null for one that was deleted, until its deletion is seen.
 */
export class SliceTracker {
  readonly #services = new Map<string, Map<string, number | null>>();

  /** The slice is one of those that were written or deleted here. */
  has(slice: EndpointSlice): boolean {
    return this.#of(slice)?.has(uidOf(slice)) ?? false;
  }

  /** It is none that was written here, or somebody has written it since. */
  isNews(slice: EndpointSlice): boolean {
    const known = this.#of(slice)?.get(uidOf(slice));
    return known === undefined || (slice.metadata.generation ?? 0) > (known ?? -1);
  }

  /** Whether the slices are not yet what was written: older, not there, or there still. */
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

  /** To be called when a slice is seen to be gone. Whether nobody here had deleted it. */
  isLost(slice: EndpointSlice): boolean {
    const generation = this.#of(slice)?.get(uidOf(slice));
    this.forgetSlice(slice);
    return typeof generation === 'number';
  }

  /** Nothing more is expected of the slice, as far as it was its service's. */
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
