import type { ManagedFieldsEntry } from '../meta/index.ts';
import { FieldSet } from './field-set.ts';
import { decodeManagedFields, encodeManagedFields, type FieldsOwner } from './managers.ts';
import { type FieldPath, fieldPath } from './path-element.ts';

const scaleApiVersion = 'autoscaling/v1';
const replicasInScale = fieldPath('spec', 'replicas');

/** The path of the number of replicas in each version of the scaled kind; null for a version that cannot be scaled. */
export type ReplicasPaths = ReadonlyMap<string, FieldPath | null>;

/** Translates managedFields between an object and its scale subresource, which share one field: the replicas. */
export class ScaleHandler {
  readonly #entries: readonly ManagedFieldsEntry[] | undefined;
  readonly #apiVersion: string;
  readonly #paths: ReplicasPaths;

  /** `entries` are those of the scaled object, `apiVersion` is the one it is written in. */
  constructor(entries: readonly ManagedFieldsEntry[] | undefined, apiVersion: string, paths: ReplicasPaths) {
    this.#entries = entries;
    this.#apiVersion = apiVersion;
    this.#paths = paths;
  }

  /** Returns the owners of the replicas, as managedFields entries of a Scale. */
  toSubresource(): ManagedFieldsEntry[] | undefined {
    const owners = new Map<string, FieldsOwner>();
    for (const [identity, owner] of decodeManagedFields(this.#entries)) {
      const path = this.#paths.get(owner.apiVersion);
      if (!path || !owner.set.has(path)) continue;
      owners.set(identity, { ...owner, apiVersion: scaleApiVersion, set: FieldSet.of(replicasInScale) });
    }
    return encodeManagedFields(owners);
  }

  /**
   * Returns the object's entries after a write to the Scale resulted in `scaleEntries`: the replicas have the same owners as in the
   * Scale.
   */
  toParent(scaleEntries: readonly ManagedFieldsEntry[] | undefined): ManagedFieldsEntry[] | undefined {
    const scaleOwners = new Map(decodeManagedFields(scaleEntries));
    const parents = decodeManagedFields(this.#entries);
    const owners = new Map<string, FieldsOwner>();
    for (const [identity, owner] of parents) {
      const path = this.#paths.get(owner.apiVersion);
      if (path === undefined) continue;
      // The Scale's entries were derived from these: an identity that is still in the Scale still owns the replicas.
      const stolen = path !== null && owner.set.has(path) && !scaleOwners.delete(identity);
      const set = stolen ? owner.set.difference(FieldSet.of(path)) : owner.set;
      if (!set.isEmpty()) owners.set(identity, stolen ? { ...owner, set } : owner);
    }
    const path = this.#paths.get(this.#apiVersion);
    for (const [identity, owner] of scaleOwners) {
      if (!path || !owner.set.has(replicasInScale)) continue;
      // As upstream: a new owner has no time.
      const { time } = parents.get(identity) ?? {};
      owners.set(identity, { ...owner, apiVersion: this.#apiVersion, set: FieldSet.of(path), time });
    }
    return encodeManagedFields(owners);
  }
}
