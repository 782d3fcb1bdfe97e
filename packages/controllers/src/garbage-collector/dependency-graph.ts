import type { ObjectMeta, OwnerReference } from '@coxswain/apimachinery/meta';
import type { MonitoredResource } from '../framework/monitors/resource-monitors.ts';
import type { AbsentOwners } from './absent-owners.ts';
import { GraphNode } from './graph-node.ts';
import { compareIdentities, type Identity, identityKey, isSame, referred, refersTo } from './identity.ts';

/** What is to be done about changes of the graph, by somebody who talks to the server. */
export interface GraphEffects {
  /** Whether the object has to go, or can, is to be found out. */
  attemptToDelete(node: GraphNode): void;
  /** Its dependents are to be released, and then it can go. */
  attemptToOrphan(node: GraphNode): void;
  /** Whether an owner that nobody has seen exists is to be found out. */
  verify(node: GraphNode): void;
  /** The dependent names as an owner what is in another namespace. */
  reportInvalidNamespace(dependent: GraphNode, reference: OwnerReference): void;
}

/** Whether the object is to go only after something was done about its dependents. */
export const finalizers = { orphan: 'orphan', deleteDependents: 'foregroundDeletion' } as const;

/**
 * Who owns whom among all objects that were seen, and among those that these name as their owners. An owner that was not
 * seen (yet) is a virtual node: it may come to be seen, or turn out not to exist.
 *
 * Every change is one step. Holds one node for each object there is, and for each owner that a dependent names.
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

  /** The object was seen, new or changed. */
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

  /** The server has agreed to delete the object; what comes of it will be seen. */
  deleting(node: GraphNode): void {
    node.isBeingDeleted = true;
  }

  /** The object was seen to go. */
  remove(identity: Identity, resource: MonitoredResource): void {
    const node = this.#nodes.get(identity.uid);
    if (!node) return;
    if (node.isVirtual) this.#reveal(node, identity, resource);
    this.#remove(node, identity);
  }

  /** The server was asked, and has no such object. */
  absent(identity: Identity): void {
    const node = this.#nodes.get(identity.uid);
    if (!node) return;
    const isIt = isSame(node.identity, identity);
    const { matching, others } = partition(node.dependents, identity);
    if (node.isVirtual ? others.length === 0 : isIt) {
      this.#remove(node, identity);
      return;
    }
    // Dependents do not agree on what their owner is. Those who meant this one have none.
    if (matching.length > 0) this.#absent.add(identity);
    for (const dependent of matching) this.#effects.attemptToDelete(dependent);
    const other = node.isVirtual && isIt ? alternative(others, identity) : undefined;
    if (!other) return;
    node.identity = other;
    this.#effects.verify(node);
  }

  /** Nothing will be heard of these objects any more: it is no longer known whether they exist. */
  lose(resource: MonitoredResource): void {
    for (const node of this.#nodes.values()) {
      if (node.resource !== resource) continue;
      node.resource = undefined;
      node.isBeingDeleted = node.isDeletingDependents = node.isOrphaning = false;
    }
  }

  /** After all objects of a kind were seen: those that were lost before and did not come again may be gone. */
  verifyUnseen(apiVersion: string, kind: string): void {
    for (const node of this.#nodes.values()) {
      const { identity } = node;
      if (node.isVirtual && identity.kind === kind && identity.apiVersion === apiVersion) this.#effects.verify(node);
    }
  }

  /** A virtual node is an object after all; perhaps not the one that all of its dependents mean. */
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
      // It has come after all the others were told to go.
      if (owner.isDeletingDependents) this.#effects.attemptToDelete(node);
      isDoubtful ||= this.#isDoubtful(node, reference, owner);
    }
    if (isDoubtful) this.#effects.attemptToDelete(node);
  }

  /** Whether the reference may mean something that does not exist, though there is an object of that uid. */
  #isDoubtful(node: GraphNode, reference: OwnerReference, owner: GraphNode): boolean {
    const { namespace } = owner.identity;
    const isElsewhere = namespace !== node.identity.namespace;
    if (isElsewhere && namespace !== '') {
      if (!owner.isVirtual) this.#effects.reportInvalidNamespace(node, reference);
      return true;
    }
    if (!refersTo(reference, owner.identity)) return true;
    // It may be of a kind that lives in namespaces, named by an object that lives in none.
    return isElsewhere && owner.isVirtual;
  }

  #removeFromOwners(node: GraphNode, references: readonly OwnerReference[]): void {
    for (const { uid } of references) this.#nodes.get(uid)?.removeDependent(node);
  }

  #changeOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    // Nearly every update leaves the owners alone.
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

  /** Owners that wait for their dependents have one less to wait for. */
  #unblocked(references: readonly OwnerReference[]): void {
    for (const { uid } of references) {
      const owner = this.#nodes.get(uid);
      // Only the last is worth a look: there may be thousands.
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
 * Of those that name an owner of this uid, who means exactly this one, and who does not; some both, in several references.
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

/** Another identity under which dependents know their owner: the next after the absent one, in turn. */
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
