import type { ObjectMeta, OwnerReference } from '@coxswain/apimachinery/meta';
import type { MonitoredResource } from '../framework/monitors/resource-monitors.ts';
import type { AbsentOwners } from './absent-owners.ts';
import { GraphNode } from './graph-node.ts';
import { compareIdentities, type Identity, identityKey, isSame, referred, refersTo } from './identity.ts';

/** The reactions to changes of the graph. They are carried out by the garbage collector, which sends the requests. */
export interface GraphEffects {
  /** Check whether the object must or can be deleted. */
  attemptToDelete(node: GraphNode): void;
  /** Remove the owner references of the object's dependents, then its finalizer. */
  attemptToOrphan(node: GraphNode): void;
  /** Check whether an owner that was not observed exists. */
  verify(node: GraphNode): void;
  /** The dependent's owner reference names an object in another namespace. */
  reportInvalidNamespace(dependent: GraphNode, reference: OwnerReference): void;
}

/** Finalizers that delay an object's deletion until its dependents have been orphaned or deleted. */
export const finalizers = { orphan: 'orphan', deleteDependents: 'foregroundDeletion' } as const;

/**
 * The graph of all observed objects and of the owners that they name. An owner that was not observed (yet) is a virtual node: it
 * may be observed later, or turn out not to exist.
 *
 * Every method is synchronous and leaves the graph consistent. Holds one node for each existing object and each named owner.
 */
export class DependencyGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #effects: GraphEffects;
  readonly #absent: AbsentOwners;

  constructor(effects: GraphEffects, absent: AbsentOwners) {
    this.#effects = effects;
    this.#absent = absent;
  }

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** An object was added or updated. */
  observe(identity: Identity, resource: MonitoredResource, metadata: ObjectMeta): void {
    const owners = metadata.ownerReferences ?? [];
    let node = this.#nodes.get(identity.uid);
    if (node) {
      if (node.isVirtual) this.#reveal(node, identity, resource);
      this.#changeOwners(node, owners);
    } else {
      node = new GraphNode(identity, resource);
      node.owners = owners;
      this.#nodes.set(identity.uid, node);
      this.#addToOwners(node, owners);
    }
    this.#followDeletion(node, metadata);
  }

  /** The server has accepted the deletion of the object. The resulting event will be observed. */
  deleting(node: GraphNode): void {
    node.isBeingDeleted = true;
  }

  /** The deletion of the object was observed. */
  remove(identity: Identity, resource: MonitoredResource): void {
    const node = this.#nodes.get(identity.uid);
    if (!node) return;
    if (node.isVirtual) this.#reveal(node, identity, resource);
    this.#remove(node, identity);
  }

  /** A request to the server has shown that the object does not exist. */
  absent(identity: Identity): void {
    const node = this.#nodes.get(identity.uid);
    if (!node) return;
    const isIt = isSame(node.identity, identity);
    const { matching, others } = partition(node.dependents, identity);
    if (node.isVirtual ? others.length === 0 : isIt) {
      this.#remove(node, identity);
      return;
    }
    // The dependents have different references to this uid. Only those that mean this identity have lost their owner.
    if (matching.length > 0) this.#absent.add(identity);
    for (const dependent of matching) this.#effects.attemptToDelete(dependent);
    const other = node.isVirtual && isIt ? alternative(others, identity) : undefined;
    if (!other) return;
    node.identity = other;
    this.#effects.verify(node);
  }

  /** The resource is no longer watched, so it is unknown whether its objects exist. They become virtual. */
  lose(resource: MonitoredResource): void {
    for (const node of this.#nodes.values()) {
      if (node.resource !== resource) continue;
      node.resource = undefined;
      node.isBeingDeleted = node.isDeletingDependents = node.isOrphaning = false;
    }
  }

  /** Called after the initial list of a kind: objects that became virtual and were not observed again may be deleted. */
  verifyUnseen(apiVersion: string, kind: string): void {
    for (const node of this.#nodes.values()) {
      const { identity } = node;
      if (node.isVirtual && identity.kind === kind && identity.apiVersion === apiVersion) this.#effects.verify(node);
    }
  }

  /** A virtual node was observed. Its identity may differ from the references of some dependents. */
  #reveal(node: GraphNode, identity: Identity, resource: MonitoredResource): void {
    node.resource = resource;
    node.checks = 0;
    if (isSame(node.identity, identity)) return;
    node.identity = identity;
    for (const dependent of partition(node.dependents, identity).others) {
      if (identity.namespace !== '' && dependent.identity.namespace !== identity.namespace) {
        const reference = dependent.owners.find(({ uid }) => uid === identity.uid);
        if (reference) this.#effects.reportInvalidNamespace(dependent, reference);
      }
      this.#effects.attemptToDelete(dependent);
    }
  }

  #remove(node: GraphNode, identity: Identity): void {
    this.#nodes.delete(identity.uid);
    this.#removeFromOwners(node, node.owners);
    if (node.dependents.size > 0) this.#absent.add(identity);
    for (const dependent of node.dependents) this.#effects.attemptToDelete(dependent);
    this.#unblocked(node.owners);
  }

  #addToOwners(node: GraphNode, references: readonly OwnerReference[]): void {
    let isDoubtful = false;
    for (const reference of references) {
      const owner = this.#nodes.get(reference.uid);
      if (!owner) {
        const virtual = new GraphNode(referred(reference, node.identity.namespace));
        this.#nodes.set(reference.uid, virtual);
        virtual.addDependent(node);
        this.#effects.verify(virtual);
        continue;
      }
      owner.addDependent(node);
      // The owner's other dependents were queued before this one existed.
      if (owner.isDeletingDependents) this.#effects.attemptToDelete(node);
      isDoubtful ||= this.#isDoubtful(node, reference, owner);
    }
    if (isDoubtful) this.#effects.attemptToDelete(node);
  }

  /** Whether the reference may be wrong although there is an object with that uid. */
  #isDoubtful(node: GraphNode, reference: OwnerReference, owner: GraphNode): boolean {
    const { namespace } = owner.identity;
    const isElsewhere = namespace !== node.identity.namespace;
    if (isElsewhere && namespace !== '') {
      if (!owner.isVirtual) this.#effects.reportInvalidNamespace(node, reference);
      return true;
    }
    if (!refersTo(reference, owner.identity)) return true;
    // A cluster-scoped object may name an owner of a namespaced kind.
    return isElsewhere && owner.isVirtual;
  }

  #removeFromOwners(node: GraphNode, references: readonly OwnerReference[]): void {
    for (const { uid } of references) this.#nodes.get(uid)?.removeDependent(node);
  }

  #changeOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    // Fast path: nearly all updates leave the owners unchanged.
    if (hasSameOwners(node.owners, owners)) {
      node.owners = owners;
      return;
    }
    const before = new Map(node.owners.map((reference) => [reference.uid, reference]));
    const after = new Map(owners.map((reference) => [reference.uid, reference]));
    const removed = [...before.values()].filter(({ uid }) => !after.has(uid));
    const added = [...after.values()].filter(({ uid }) => !before.has(uid));
    const unblocked = [...before.values()].filter(
      ({ uid, blockOwnerDeletion }) => blockOwnerDeletion && !after.get(uid)?.blockOwnerDeletion,
    );
    node.owners = owners;
    this.#addToOwners(node, added);
    this.#removeFromOwners(node, removed);
    this.#unblocked(unblocked);
  }

  /** Queues owners in foreground deletion that have lost their last blocking dependent. */
  #unblocked(references: readonly OwnerReference[]): void {
    for (const { uid } of references) {
      const owner = this.#nodes.get(uid);
      // Only when the last one is gone: there may be thousands of dependents.
      if (owner?.isDeletingDependents && !owner.isBlocked) this.#effects.attemptToDelete(owner);
    }
  }

  #followDeletion(node: GraphNode, { deletionTimestamp, finalizers: names }: ObjectMeta): void {
    const was = { orphaning: node.isOrphaning, deletingDependents: node.isDeletingDependents };
    node.isBeingDeleted = deletionTimestamp !== undefined;
    node.isOrphaning = node.isBeingDeleted && !!names?.includes(finalizers.orphan);
    node.isDeletingDependents = node.isBeingDeleted && !!names?.includes(finalizers.deleteDependents);
    if (node.isOrphaning) {
      if (!was.orphaning) this.#effects.attemptToOrphan(node);
    } else if (node.isDeletingDependents && !was.deletingDependents) {
      for (const dependent of node.dependents) this.#effects.attemptToDelete(dependent);
      this.#effects.attemptToDelete(node);
    }
  }
}

const hasSameOwners = (a: readonly OwnerReference[], b: readonly OwnerReference[]): boolean =>
  a === b ||
  (a.length === b.length &&
    a.every(({ uid, blockOwnerDeletion }, i) => uid === b[i]!.uid && blockOwnerDeletion === b[i]!.blockOwnerDeletion));

/**
 * Splits the dependents that have an owner with this uid into those whose reference means exactly this identity and those with
 * another reference. A dependent with several references may be in both lists.
 */
function partition(
  dependents: Iterable<GraphNode>,
  identity: Identity,
): { matching: GraphNode[]; others: GraphNode[] } {
  const matching: GraphNode[] = [];
  const others: GraphNode[] = [];
  for (const dependent of dependents) {
    const isElsewhere = identity.namespace !== '' && identity.namespace !== dependent.identity.namespace;
    const references = dependent.owners.filter(({ uid }) => uid === identity.uid);
    const means = (reference: OwnerReference): boolean => !isElsewhere && refersTo(reference, identity);
    if (references.some(means)) matching.push(dependent);
    if (isElsewhere || references.some((reference) => !means(reference))) others.push(dependent);
  }
  return { matching, others };
}

/** Returns another identity in the dependents' references to this uid: the next one after `absent` in sort order, wrapping around. */
function alternative(dependents: readonly GraphNode[], absent: Identity): Identity | undefined {
  const candidates = new Map<string, Identity>();
  for (const { owners, identity } of dependents) {
    for (const reference of owners) {
      if (reference.uid !== absent.uid) continue;
      const isClusterScoped =
        absent.namespace === '' && reference.apiVersion === absent.apiVersion && reference.kind === absent.kind;
      const candidate = referred(reference, isClusterScoped ? '' : identity.namespace);
      candidates.set(identityKey(candidate), candidate);
    }
  }
  candidates.delete(identityKey(absent));
  const inOrder = [...candidates.values()].sort(compareIdentities);
  return inOrder.find((candidate) => compareIdentities(candidate, absent) > 0) ?? inOrder[0];
}
