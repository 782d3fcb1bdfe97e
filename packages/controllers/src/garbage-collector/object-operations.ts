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

/** What is asked of the server about objects that were seen: each call is for this very object, not one of its name. */
export class ObjectOperations {
  readonly #context: Pick<ControllerContext, 'metadata' | 'monitors' | 'clock' | 'random'>;
  /** Kinds that know of no strategic merge patches: custom ones, as long as they are there. */
  readonly #withoutStrategicMerge = new Set<string>();

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  /** The server no longer has the kind. */
  forgetKind(apiVersion: string, kind: string): void {
    this.#withoutStrategicMerge.delete(kindKey(apiVersion, kind));
  }

  /** Its metadata as it is in the cache, else at the server; undefined when it is gone. */
  async latest(node: GraphNode, signal: AbortSignal): Promise<ObjectMeta | undefined> {
    return this.#cached(node) ?? (await this.#live(node, signal));
  }

  /**
   * Deletes the object, if it is still as `latest` tells. False when it is gone. Rejects when its owners have changed;
   * other changes do not matter.
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

  /** It no longer names these as its owners. Harmless when it did not, and when it is gone. */
  async removeOwners(node: GraphNode, uids: readonly string[], signal: AbortSignal): Promise<void> {
    const { uid } = node.identity;
    const deletions = uids.map((owner) => ({ $patch: 'delete', uid: owner }));
    const remaining = (owners: readonly OwnerReference[]): OwnerReference[] =>
      owners.filter((owner) => !uids.includes(owner.uid));
    await this.#patchOwners(node, { metadata: { uid, ownerReferences: deletions } }, remaining, signal);
  }

  /** Its owners do not have to wait for it any more. Gives it as it is then; undefined when it is gone. */
  async unblockOwners(node: GraphNode, signal: AbortSignal): Promise<ObjectMeta | undefined> {
    const { uid } = node.identity;
    const unblocked = (owner: OwnerReference): OwnerReference => ({ ...owner, blockOwnerDeletion: false });
    const ownerReferences = node.owners.filter(({ blockOwnerDeletion }) => blockOwnerDeletion).map(unblocked);
    if (ownerReferences.length === 0) return this.latest(node, signal);
    const change = (owners: readonly OwnerReference[]): OwnerReference[] => owners.map(unblocked);
    return this.#patchOwners(node, { metadata: { uid, ownerReferences } }, change, signal);
  }

  /** Takes the finalizer away, whoever else changes the object meanwhile. Harmless when it does not have it. */
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
    if (!resource) throw new Error(`${describeIdentity(identity)} is not followed any more`);
    return clientFor(this.#context, resource, identity);
  }
}

const kindKey = (apiVersion: string, kind: string): string => `${apiVersion}/${kind}`;

/** A client for objects like this one. */
export const clientFor = (
  { metadata }: Pick<ControllerContext, 'metadata'>,
  resource: Pick<MonitoredResource, 'group' | 'version' | 'resource' | 'namespaced'>,
  { namespace }: Pick<Identity, 'namespace'>,
): MetadataResourceInterface => {
  const client = metadata.resource(resource, { namespaced: resource.namespaced });
  return resource.namespaced ? client.inNamespace(namespace) : client;
};

/** Both are plain data, out of JSON with the same order of fields. */
const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? []) === JSON.stringify(b ?? []);

/** False when what was to be changed is gone. */
async function ifThere(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
