/** A built-in resource of one group version, as discovery shows it. */
export interface Resource {
  readonly name: string;
  readonly singularName: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Sorted, separated by spaces. */
  readonly verbs: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** The group version that upstream stores the resource as; absent for resources that are never stored. */
  readonly storageVersion?: string;
  /** Set only where upstream computes the hash from a version that it no longer serves. */
  readonly storageVersionHash?: string;
  readonly subresources?: readonly Subresource[];
}

export interface Subresource {
  readonly name: string;
  readonly kind: string;
  /** Set only where the kind belongs to another group version than the resource, such as `Scale` of autoscaling/v1. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: string;
}

export interface GroupVersionResources {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly Resource[];
}

export type Stability = 'alpha' | 'beta' | 'stable';

/** Returns the stability that the version's name states, as upstream does: `v1alpha3` is alpha. */
export function stabilityOf(version: string): Stability {
  return version.includes('alpha') ? 'alpha' : version.includes('beta') ? 'beta' : 'stable';
}
