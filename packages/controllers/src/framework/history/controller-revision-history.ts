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

/** How an owner's revisions are found. */
interface RevisionClaim<T> {
  readonly owner: T;
  readonly key: string;
  matches(revision: ControllerRevision): boolean;
  /** As for `Claimant`. */
  canAdopt(): Promise<void>;
  /** Whether those that no longer match are let go; otherwise they are only left out. */
  readonly releases: boolean;
}

/** The ControllerRevisions of one kind of owners: what their pod templates have been. */
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

  /** The owner's revisions, the oldest first, after adopting those that nobody has. */
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
   * Creates a revision of that name, unless there is one that holds the same, made at a time that the cache knows nothing
   * of yet. Undefined when the name is taken by one that holds something else.
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

  /** One that is gone already is as good as deleted. */
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
