import type { OwnerReference } from '@coxswain/apimachinery/meta';
import type { MonitoredResource } from '../framework/monitors/resource-monitors.ts';
import type { Identity } from './identity.ts';

const nobody: ReadonlySet<GraphNode> = new Set();

/** An object with its owners and dependents. Mutated only by the `DependencyGraph`. */
export class GraphNode {
  /** From the object itself once it was observed, before that from one of its dependents' references. */
  identity: Identity;
  /** The object's resource. Undefined for a virtual node: an owner that only its dependents name and that may not exist. */
  resource: MonitoredResource | undefined;
  /** From the latest observed version. */
  owners: readonly OwnerReference[] = [];
  /** The object has a deletion timestamp, or the server has accepted its deletion. */
  isBeingDeleted = false;
  /** Foreground deletion: the object is deleted after its blocking dependents. */
  isDeletingDependents = false;
  /** Orphan deletion: the object is deleted after its dependents' owner references to it have been removed. */
  isOrphaning = false;
  /** The number of requests for this owner since it became virtual. */
  checks = 0;
  /** Created on demand, because most objects have no dependents. */
  #dependents: Set<GraphNode> | undefined;

  constructor(identity: Identity, resource?: MonitoredResource) {
    this.identity = identity;
    this.resource = resource;
  }

  get isVirtual(): boolean {
    return this.resource === undefined;
  }

  get dependents(): ReadonlySet<GraphNode> {
    return this.#dependents ?? nobody;
  }

  addDependent(dependent: GraphNode): void {
    this.#dependents ??= new Set();
    this.#dependents.add(dependent);
  }

  removeDependent(dependent: GraphNode): void {
    if (this.#dependents?.delete(dependent) && this.#dependents.size === 0) this.#dependents = undefined;
  }

  /** Whether this object must be deleted before the owner. */
  blocks(owner: GraphNode): boolean {
    return this.owners.some(({ uid, blockOwnerDeletion }) => blockOwnerDeletion && uid === owner.identity.uid);
  }

  /** Whether the object has a blocking dependent. */
  get isBlocked(): boolean {
    for (const dependent of this.dependents) if (dependent.blocks(this)) return true;
    return false;
  }
}
