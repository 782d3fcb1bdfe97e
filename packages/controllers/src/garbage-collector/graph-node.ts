import type { OwnerReference } from '@coxswain/apimachinery/meta';
import type { MonitoredResource } from '../framework/monitors/resource-monitors.ts';
import type { Identity } from './identity.ts';

const nobody: ReadonlySet<GraphNode> = new Set();

/** An object, its owners and those it owns. Changed by the `DependencyGraph` alone. */
export class GraphNode {
  /** What the object itself says once it was seen; before, what one of its dependents says. */
  identity: Identity;
  /** Where it was seen; undefined for an owner that only its dependents tell of, and that may not exist. */
  resource: MonitoredResource | undefined;
  /** As it was last seen. */
  owners: readonly OwnerReference[] = [];
  /** Its deletion has begun. */
  isBeingDeleted = false;
  /** It goes when its blocking dependents are gone: foreground deletion. */
  isDeletingDependents = false;
  /** It goes when none of its dependents names it as an owner any more. */
  isOrphaning = false;
  /** How often the server was asked for it since it is not seen. */
  checks = 0;
  /** Only made for those that have any: most have none. */
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

  /** Whether it keeps the owner from going before itself. */
  blocks(owner: GraphNode): boolean {
    return this.owners.some(({ uid, blockOwnerDeletion }) => blockOwnerDeletion && uid === owner.identity.uid);
  }

  /** Whether it has to wait for one of its dependents. */
  get isBlocked(): boolean {
    for (const dependent of this.dependents) if (dependent.blocks(this)) return true;
    return false;
  }
}
