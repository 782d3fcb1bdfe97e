/** A built-in resource of one group version, as discovery shows it. */
export interface Resource {
  readonly name: string;
  readonly singularName: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Separated by spaces, sorted. */
  readonly verbs: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** The group version that upstream stores it as; absent for what is never stored. */
  readonly storageVersion?: string;
  /** Only where upstream's hash is of a version that it no longer serves. */
  readonly storageVersionHash?: string;
  readonly subresources?: readonly Subresource[];
}

export interface Subresource {
  readonly name: string;
  readonly kind: string;
  /** Only where the kind is of another group version than the resource, such as `Scale` of autoscaling/v1. */
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

/** By its name alone, as upstream has it: `v1alpha3` is alpha. */
export function stabilityOf(version: string): Stability {
  return version.includes('alpha') ? 'alpha' : version.includes('beta') ? 'beta' : 'stable';
}
