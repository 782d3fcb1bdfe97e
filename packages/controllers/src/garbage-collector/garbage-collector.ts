import { isNotFound } from '@coxswain/apimachinery/errors';
import {
  GroupKind,
  GroupVersion,
  type KubernetesObject,
  type ObjectMeta,
  type OwnerReference,
} from '@coxswain/apimachinery/meta';
import type { EventRecorder, Reconcile, ResourceEventHandler } from '@coxswain/client';
import { deletedObject } from '@coxswain/client';
import type { Controller, ControllerContext } from '../framework/controller/controller.ts';
import { ReconcileLoop, type ReconcileResult } from '../framework/controller/reconcile-loop.ts';
import { inParallel } from '../framework/failures/in-parallel.ts';
import type { MonitoredResource } from '../framework/monitors/resource-monitors.ts';
import { AbsentOwners } from './absent-owners.ts';
import { DependencyGraph, finalizers } from './dependency-graph.ts';
import type { GraphNode } from './graph-node.ts';
import { describeIdentity, type Identity, referred, refersTo } from './identity.ts';
import { clientFor, ObjectOperations } from './object-operations.ts';

const workers = 20;
/** The delay before the server is asked again for an owner that exists but was not observed. It doubles each time. */
const firstCheckMs = 5;
const lastCheckMs = 1_000_000;

/** Whether an owner keeps its dependent alive. Waiting: the owner is in foreground deletion and waits for its dependents. */
type OwnerState = 'solid' | 'absent' | 'waiting';

/** A cluster-scoped object names an owner of a namespaced kind, so the owner's namespace is unknown. */
class NamespacedOwnerError extends Error {}

/** Deletes objects whose owners have all been deleted. */
export class GarbageCollector implements Controller {
  readonly #context: ControllerContext;
  readonly #recorder: EventRecorder;
  readonly #absent: AbsentOwners;
  readonly #graph: DependencyGraph;
  readonly #objects: ObjectOperations;
  /** Objects to check for deletion, by uid. */
  readonly #deleting: ReconcileLoop;
  readonly #orphaning: ReconcileLoop;
  /** Owners that were not observed, by uid. */
  readonly #verifying: ReconcileLoop;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#absent = new AbsentOwners(context.clock);
    this.#recorder = context.recorder('garbage-collector-controller');
    this.#objects = new ObjectOperations(context);
    const loop = (name: string, reconcile: Reconcile<GraphNode>) =>
      new ReconcileLoop(context, {
        name: `garbage_collector_${name}`,
        workers,
        synced: [],
        reconcile: async (uid, signal) => {
          const node = this.#graph.get(uid);
          // Nothing to do for an object that was deleted meanwhile.
          return node && reconcile(node, signal);
        },
      });
    this.#deleting = loop('attempt_to_delete', (node, signal) => this.#attemptToDelete(node, signal));
    this.#orphaning = loop('attempt_to_orphan', (node, signal) => this.#orphan(node, signal));
    this.#verifying = loop('verify_owner', (node, signal) => this.#verify(node, signal));
    this.#graph = new DependencyGraph(
      {
        attemptToDelete: ({ identity }) => this.#deleting.queue.add(identity.uid),
        attemptToOrphan: ({ identity }) => this.#orphaning.queue.add(identity.uid),
        verify: ({ identity }) => this.#verifying.queue.add(identity.uid),
        reportInvalidNamespace: (dependent, reference) => this.#reportInvalidNamespace(dependent, reference),
      },
      this.#absent,
    );
    context.monitors.subscribe({
      wants: isCollectable,
      handlerFor: (resource) => this.#handlerFor(resource),
      onSynced: (resource) => this.#graph.verifyUnseen(apiVersionOf(resource), resource.kind),
      onStopped: (resource) => {
        this.#graph.lose(resource);
        this.#objects.forgetKind(apiVersionOf(resource), resource.kind);
      },
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const isSynced = await this.#context.monitors.whenSynced(signal);
    if (!isSynced && !signal.aborted) {
      this.#context.logger.warn('Garbage collector: not all resource monitors could be synced, proceeding anyways');
    }
    await Promise.all([this.#deleting, this.#orphaning, this.#verifying].map((loop) => loop.run(signal)));
  }

  #handlerFor(resource: MonitoredResource): ResourceEventHandler<KubernetesObject> {
    const apiVersion = apiVersionOf(resource);
    const identityOf = ({ namespace = '', name = '', uid = '' }: ObjectMeta): Identity => ({
      apiVersion,
      kind: resource.kind,
      namespace,
      name,
      uid,
    });
    const observe = ({ metadata = {} }: KubernetesObject): void =>
      this.#graph.observe(identityOf(metadata), resource, metadata);
    return {
      onAdd: observe,
      onUpdate: (_, object) => observe(object),
      onDelete: (deleted) => {
        const { metadata = {} } = deletedObject(deleted);
        this.#graph.remove(identityOf(metadata), resource);
      },
    };
  }

  /** Deletes the object if all its owners are gone. If some remain, removes only the references to the others. */
  async #attemptToDelete(node: GraphNode, signal: AbortSignal): Promise<void> {
    if (node.isVirtual) return;
    if (node.isDeletingDependents) return this.#finishForeground(node, signal);
    // The deletion is in progress. Its dependents are processed when it is complete.
    if (node.isBeingDeleted) return;
    const latest = await this.#objects.latest(node, signal);
    if (!latest) return this.#graph.absent(node.identity);
    const ownerReferences = latest.ownerReferences ?? [];
    if (ownerReferences.length === 0) return;
    const owners = await this.#classify(node, ownerReferences, signal);
    if (!owners) return;
    if (owners.solid.length > 0) {
      // Owners in foreground deletion would wait forever for an object that stays.
      const others = [...owners.absent, ...owners.waiting];
      if (others.length > 0) await this.#objects.removeOwners(node, others, signal);
    } else if (owners.waiting.length > 0 && node.dependents.size > 0) {
      await this.#deleteForeground(node, latest, signal);
    } else {
      await this.#delete(node, latest, policyFor(latest), signal);
    }
  }

  /** Deletes an object with dependents in the foreground because its owners wait for it, so its dependents are deleted first. */
  async #deleteForeground(node: GraphNode, latest: ObjectMeta, signal: AbortSignal): Promise<void> {
    // A waiting dependent may itself wait for this object. Such a cycle would never be resolved.
    const isInCycle = [...node.dependents].some(({ isDeletingDependents }) => isDeletingDependents);
    const current = isInCycle ? await this.#objects.unblockOwners(node, signal) : latest;
    if (current) await this.#delete(node, current, 'Foreground', signal);
    else this.#graph.absent(node.identity);
  }

  async #delete(
    node: GraphNode,
    latest: ObjectMeta,
    policy: ReturnType<typeof policyFor>,
    signal: AbortSignal,
  ): Promise<void> {
    const { identity } = node;
    if (await this.#objects.delete(node, latest, policy, signal)) this.#graph.deleting(node);
    else this.#graph.absent(identity);
  }

  /** Removes the foreground finalizer once no dependent blocks the object. Until then queues the blocking dependents for deletion. */
  async #finishForeground(node: GraphNode, signal: AbortSignal): Promise<void> {
    if (!node.isBlocked) return this.#objects.removeFinalizer(node, finalizers.deleteDependents, signal);
    for (const dependent of node.dependents) {
      if (!dependent.isBeingDeleted && dependent.blocks(node)) this.#deleting.queue.add(dependent.identity.uid);
    }
  }

  async #orphan(node: GraphNode, signal: AbortSignal): Promise<void> {
    if (node.isVirtual || !node.isOrphaning) return;
    const { identity } = node;
    const dependents = [...node.dependents].filter(({ isVirtual }) => !isVirtual);
    await inParallel(dependents, workers, (dependent) => this.#objects.removeOwners(dependent, [identity.uid], signal));
    await this.#objects.removeFinalizer(node, finalizers.orphan, signal);
  }

  /** Checks whether a virtual owner exists. If so, it should be observed soon, but that may fail, so it is checked again. */
  async #verify(node: GraphNode, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    if (!node.isVirtual) return undefined;
    const { identity } = node;
    try {
      const owner = await this.#findOwner(identity, identity.namespace, signal);
      if (!owner) {
        this.#graph.absent(identity);
        return undefined;
      }
    } catch (error) {
      if (error instanceof NamespacedOwnerError) return undefined;
      throw error;
    }
    return { requeueAfterMs: Math.min(firstCheckMs * 2 ** node.checks++, lastCheckMs) };
  }

  /** Returns the uids of the owners by their state, or undefined when the state cannot be determined. */
  async #classify(
    node: GraphNode,
    references: readonly OwnerReference[],
    signal: AbortSignal,
  ): Promise<Record<OwnerState, string[]> | undefined> {
    const owners: Record<OwnerState, string[]> = { solid: [], absent: [], waiting: [] };
    try {
      for (const reference of references) {
        owners[await this.#stateOf(reference, node, signal)].push(reference.uid);
      }
      return owners;
    } catch (error) {
      if (error instanceof NamespacedOwnerError) return undefined;
      throw error;
    }
  }

  async #stateOf(reference: OwnerReference, { identity }: GraphNode, signal: AbortSignal): Promise<OwnerState> {
    const { namespace } = identity;
    if (this.#absent.has(referred(reference, '')) || this.#absent.has(referred(reference, namespace))) return 'absent';
    const seen = this.#graph.get(reference.uid);
    if (seen && !seen.isVirtual && refersTo(reference, seen.identity) && isReachable(seen.identity, namespace)) {
      // If it is deleted but the event has not arrived yet, its dependents are processed again at the event.
      return seen.isDeletingDependents ? 'waiting' : 'solid';
    }
    const owner = await this.#findOwner(reference, namespace, signal);
    if (!owner) return 'absent';
    return owner.deletionTimestamp && owner.finalizers?.includes(finalizers.deleteDependents) ? 'waiting' : 'solid';
  }

  /** Reads the object that a reference in that namespace means. Returns undefined when there is no such object. */
  async #findOwner(reference: OwnerReference, namespace: string, signal: AbortSignal): Promise<ObjectMeta | undefined> {
    const { apiVersion, kind, name, uid } = reference;
    const { group, version } = GroupVersion.parse(apiVersion);
    const { resource, scope } = await this.#context.mapper.restMapping(GroupKind.of(group, kind), [version], {
      signal,
    });
    const namespaced = scope === 'namespace';
    if (namespaced && namespace === '') throw new NamespacedOwnerError();
    const identity = referred(reference, namespaced ? namespace : '');
    const { group: ownerGroup, version: ownerVersion, resource: plural } = resource;
    const description = { group: ownerGroup, version: ownerVersion, resource: plural, namespaced };
    try {
      const { metadata } = await clientFor(this.#context, description, identity).get(name, { signal });
      if (metadata?.uid === uid) return metadata;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    this.#absent.add(identity);
    return undefined;
  }

  #reportInvalidNamespace({ identity }: GraphNode, reference: OwnerReference): void {
    const { namespace } = identity;
    const owner = describeIdentity(referred(reference, namespace));
    const message = `ownerRef ${owner} does not exist in namespace ${JSON.stringify(namespace)}`;
    this.#recorder.event(identity, 'Warning', 'OwnerRefInvalidNamespace', message);
  }
}

/** Events are not collected: they have no dependents and would only cost memory. */
const isCollectable = ({ group, resource, verbs }: MonitoredResource): boolean =>
  verbs.includes('delete') && !(resource === 'events' && (group === '' || group === 'events.k8s.io'));

const apiVersionOf = ({ group, version }: MonitoredResource): string => `${GroupVersion.of(group, version)}`;

/** Whether objects of the namespace may have this owner. */
const isReachable = (owner: Identity, namespace: string): boolean =>
  owner.namespace === '' || owner.namespace === namespace;

/** Returns the propagation policy that the object's own finalizers request. */
function policyFor({ finalizers: names }: ObjectMeta): 'Orphan' | 'Foreground' | 'Background' {
  if (names?.includes(finalizers.orphan)) return 'Orphan';
  return names?.includes(finalizers.deleteDependents) ? 'Foreground' : 'Background';
}
