import { isConflict, isNotFound, isUnsupportedMediaType } from '@coxswain/apimachinery/errors';
import type { ObjectMeta, OwnerReference, PartialObjectMetadata } from '@coxswain/apimachinery/meta';
import {
  defaultBackoff,
  type MetadataResourceInterface,
  metaNamespaceKey,
  type PatchBodies,
  retryOnConflict,
} from '@coxswain/client';
import type { ControllerContext } from '../framework/controller/controller.ts';
import type { MonitoredResource } from '../framework/monitors/resource-monitors.ts';
import type { GraphNode } from './graph-node.ts';
import { describeIdentity, type Identity } from './identity.ts';

type Patches = PatchBodies<PartialObjectMetadata>;
type Propagation = 'Orphan' | 'Foreground' | 'Background';

/** Requests about observed objects. The uid is checked, so none affects another object of the same name. */
export class ObjectOperations {
  readonly #context: Pick<ControllerContext, 'metadata' | 'monitors' | 'clock' | 'random'>;
  /** Kinds without strategic merge patches: those of custom resources. */
  readonly #withoutStrategicMerge = new Set<string>();

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  /** Must be called when the server no longer has the kind. */
  forgetKind(apiVersion: string, kind: string): void {
    this.#withoutStrategicMerge.delete(kindKey(apiVersion, kind));
  }

  /** Returns the object's metadata from the cache or else from the server, or undefined when it does not exist. */
  async latest(node: GraphNode, signal: AbortSignal): Promise<ObjectMeta | undefined> {
    return this.#cached(node) ?? (await this.#live(node, signal));
  }

  /**
   * Deletes the object. Returns false when it does not exist. Rejects with a conflict when its owners differ from `latest`; other
   * changes do not matter.
   */
  async delete(
    node: GraphNode,
    latest: ObjectMeta,
    propagationPolicy: Propagation,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { uid, name } = node.identity;
    const { resourceVersion, ownerReferences } = latest;
    const client = this.#client(node);
    const attempt = (preconditions: object): Promise<boolean> =>
      ifThere(client.delete(name, { preconditions: { uid, ...preconditions }, propagationPolicy, signal }));
    try {
      return await attempt({ resourceVersion });
    } catch (error) {
      if (!isConflict(error)) throw error;
      const live = await this.#live(node, signal);
      if (!live) return false;
      if (!isEqual(live.ownerReferences, ownerReferences)) throw error;
      return attempt({});
    }
  }

  /** Removes owner references. Does nothing when they or the object do not exist. */
  async removeOwners(node: GraphNode, uids: readonly string[], signal: AbortSignal): Promise<void> {
    const { uid } = node.identity;
    const deletions = uids.map((owner) => ({ $patch: 'delete', uid: owner }));
    const remaining = (owners: readonly OwnerReference[]): OwnerReference[] =>
      owners.filter((owner) => !uids.includes(owner.uid));
    await this.#patchOwners(node, { metadata: { uid, ownerReferences: deletions } }, remaining, signal);
  }

  /** Sets `blockOwnerDeletion` to false in all owner references. Returns the new metadata, or undefined when the object does not exist. */
  async unblockOwners(node: GraphNode, signal: AbortSignal): Promise<ObjectMeta | undefined> {
    const { uid } = node.identity;
    const unblocked = (owner: OwnerReference): OwnerReference => ({ ...owner, blockOwnerDeletion: false });
    const ownerReferences = node.owners.filter(({ blockOwnerDeletion }) => blockOwnerDeletion).map(unblocked);
    if (ownerReferences.length === 0) return this.latest(node, signal);
    const change = (owners: readonly OwnerReference[]): OwnerReference[] => owners.map(unblocked);
    return this.#patchOwners(node, { metadata: { uid, ownerReferences } }, change, signal);
  }

  /** Removes the finalizer and retries on conflicts. Does nothing when the object does not have it. */
  async removeFinalizer(node: GraphNode, finalizer: string, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#context;
    let latest = await this.latest(node, signal);
    await retryOnConflict(
      async () => {
        const { resourceVersion } = latest ?? {};
        const finalizers = latest?.finalizers ?? [];
        if (!finalizers.includes(finalizer)) return;
        const others = finalizers.filter((name) => name !== finalizer);
        const patch = { metadata: { resourceVersion, finalizers: others.length > 0 ? others : null } };
        try {
          await ifThere(this.#client(node).patch(node.identity.name, 'merge', patch, { signal }));
        } catch (error) {
          latest = await this.#live(node, signal);
          throw error;
        }
      },
      { backoff: defaultBackoff, clock, random, signal },
    );
  }

  async #patchOwners(
    node: GraphNode,
    strategic: Patches['strategic-merge'],
    change: (owners: readonly OwnerReference[]) => OwnerReference[],
    signal: AbortSignal,
  ): Promise<ObjectMeta | undefined> {
    const { name } = node.identity;
    const client = this.#client(node);
    const kind = kindKey(node.identity.apiVersion, node.identity.kind);
    try {
      if (!this.#withoutStrategicMerge.has(kind)) {
        try {
          return (await client.patch(name, 'strategic-merge', strategic, { signal })).metadata;
        } catch (error) {
          if (!isUnsupportedMediaType(error)) throw error;
          this.#withoutStrategicMerge.add(kind);
        }
      }
      const latest = await this.latest(node, signal);
      if (!latest) return undefined;
      const { resourceVersion } = latest;
      const ownerReferences = latest.ownerReferences ?? [];
      const changed = change(ownerReferences);
      const patch = { metadata: { resourceVersion, ownerReferences: changed.length > 0 ? changed : null } };
      return (await client.patch(name, 'merge', patch, { signal })).metadata;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #cached({ identity, resource }: GraphNode): ObjectMeta | undefined {
    const key = metaNamespaceKey({ metadata: identity });
    const metadata = resource && this.#context.monitors.get(resource)?.informer.indexer.getByKey(key)?.metadata;
    return metadata?.uid === identity.uid ? metadata : undefined;
  }

  async #live(node: GraphNode, signal: AbortSignal): Promise<ObjectMeta | undefined> {
    try {
      const { metadata } = await this.#client(node).get(node.identity.name, { signal });
      return metadata?.uid === node.identity.uid ? metadata : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #client({ identity, resource }: GraphNode): MetadataResourceInterface {
    if (!resource) throw new Error(`${describeIdentity(identity)} is no longer watched`);
    return clientFor(this.#context, resource, identity);
  }
}

const kindKey = (apiVersion: string, kind: string): string => `${apiVersion}/${kind}`;

/** Returns the metadata client for the object's resource and namespace. */
export const clientFor = (
  { metadata }: Pick<ControllerContext, 'metadata'>,
  resource: Pick<MonitoredResource, 'group' | 'version' | 'resource' | 'namespaced'>,
  { namespace }: Pick<Identity, 'namespace'>,
): MetadataResourceInterface => {
  const client = metadata.resource(resource, { namespaced: resource.namespaced });
  return resource.namespaced ? client.inNamespace(namespace) : client;
};

/** Compares JSON values whose fields have the same order. */
const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? []) === JSON.stringify(b ?? []);

/** Returns false when the changed object does not exist. */
async function ifThere(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
