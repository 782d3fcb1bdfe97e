import type { ControllerRevision } from '@coxswain/api/apps/v1';
import { isAlreadyExists, isNotFound } from '@coxswain/apimachinery/errors';
import {
  GroupVersionKind,
  type KubernetesObject,
  newControllerRef,
  type OwnerReference,
} from '@coxswain/apimachinery/meta';
import type { ResourceDescription, SharedIndexInformer } from '@coxswain/client';
import type { ControllerContext } from '../controller/controller.ts';
import { addControllerIndex, controlledBy, orphansIn } from '../ownership/controller-index.ts';
import { claimObjects } from '../ownership/owned-objects.ts';
import type { OwnWrites } from '../writes/own-writes.ts';
import { byRevision, holds, type RevisionData } from './controller-revision.ts';

/** Selects the revisions of an owner. */
interface RevisionClaim<T> {
  readonly owner: T;
  readonly key: string;
  matches(revision: ControllerRevision): boolean;
  /** See `Claimant.canAdopt`. */
  canAdopt(): Promise<void>;
  /** If true, owned revisions that no longer match are released. Otherwise they stay owned and are only left out of the result. */
  readonly releases: boolean;
}

/** The ControllerRevisions of the owners of one kind. Each holds an earlier or the current pod template. */
export class ControllerRevisionHistory<T extends KubernetesObject> {
  readonly informer: SharedIndexInformer<ControllerRevision>;
  readonly #context: ControllerContext;
  readonly #kind: GroupVersionKind;
  readonly #ownWrites: OwnWrites;

  constructor(context: ControllerContext, owners: ResourceDescription, ownWrites: OwnWrites) {
    this.#context = context;
    this.#kind = GroupVersionKind.of(owners.group, owners.version, owners.kind);
    this.#ownWrites = ownWrites;
    this.informer = context.informers.apps.v1.controllerRevisions.informer;
    addControllerIndex(this.informer);
  }

  /** Returns the owner's revisions, oldest first, after adopting matching orphans. */
  async claim({ owner, key, matches, canAdopt, releases }: RevisionClaim<T>): Promise<ControllerRevision[]> {
    const { uid = '', namespace = '', deletionTimestamp } = owner.metadata ?? {};
    const { indexer } = this.informer;
    const owned = controlledBy(indexer, uid);
    const candidates = [...(releases ? owned : owned.filter(matches)), ...orphansIn(indexer, namespace)];
    const claimed = await claimObjects(candidates, {
      owner: { uid, reference: this.#reference(owner), isBeingDeleted: deletionTimestamp !== undefined },
      matches,
      canAdopt,
      patch: async (revision, patch) => {
        const client = this.#context.clients.apps.v1.controllerRevisions(namespace);
        this.#wrote(key, await client.patch(revision.metadata.name ?? '', 'strategic-merge', patch));
      },
    });
    return claimed.sort(byRevision);
  }

  /**
   * Creates a revision. If the name is taken, for example because the cache lacks a revision created shortly before, returns the
   * existing revision when it holds the same data, and undefined otherwise.
   */
  async createOrFind(
    { owner, key }: { readonly owner: T; readonly key: string },
    { name, labels, data, revision }: NewRevision,
  ): Promise<ControllerRevision | undefined> {
    const { namespace = '', annotations } = owner.metadata ?? {};
    const client = this.#context.clients.apps.v1.controllerRevisions(namespace);
    try {
      const created = await client.create({
        metadata: {
          name,
          labels: { ...labels },
          annotations: { ...annotations },
          ownerReferences: [this.#reference(owner)],
        },
        data,
        revision,
      });
      return this.#wrote(key, created);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const existing = await client.get(name);
      return holds(existing, data) ? existing : undefined;
    }
  }

  async update(key: string, revision: ControllerRevision): Promise<ControllerRevision> {
    const client = this.#context.clients.apps.v1.controllerRevisions(revision.metadata.namespace ?? '');
    return this.#wrote(key, await client.update(revision));
  }

  /** Deletes a revision. A revision that does not exist is not an error. */
  async delete({ metadata: { name = '', namespace = '' } }: ControllerRevision): Promise<void> {
    await this.#context.clients.apps.v1
      .controllerRevisions(namespace)
      .delete(name)
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
  }

  #reference(owner: T): OwnerReference {
    return newControllerRef(owner, this.#kind);
  }

  #wrote(key: string, revision: ControllerRevision): ControllerRevision {
    this.#ownWrites.wrote(key, this.informer, revision.metadata.resourceVersion);
    return revision;
  }
}

interface NewRevision {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly data: RevisionData;
  readonly revision: number;
}
