import { isJsonObject, jsonEquals } from '../json/index.ts';
import type { Schema } from '../schema/schema.ts';
import type { Steps } from '../steps/index.ts';
import type { Comparison } from './compare.ts';
import { ConflictsError } from './conflict.ts';
import { FieldSet } from './field-set.ts';
import type { FieldSetFilter } from './field-set-filter.ts';
import type { FieldsOwner, Managers } from './managers.ts';
import { reconcileFieldSet, TypedValue } from './typed-value.ts';

/** The versions of a kind and the conversion between them. */
export interface KindVersions {
  /**
   * Returns the kind's schema in that version, or undefined when the version is unknown or gone. A kind without a schema has the schema
   * `{ kind: 'any' }`. May throw for an unknown version: then writes to objects with an owner of that version cannot be tracked.
   */
  schemaFor(apiVersion: string): Schema | undefined;
  /** Converts the object to that version, which `schemaFor` knows. */
  convert(object: unknown, apiVersion: string): unknown;
}

interface UpdaterOptions {
  readonly versions: KindVersions;
  /** Filters by version: the fields that a write through this resource can change. */
  readonly filters: ReadonlyMap<string, FieldSetFilter>;
}

/** The result of `Updater.update`. */
interface Updated {
  /**
   * The owners without the fields that the update changed or removed. The updater is among them only if it was before. A new map, which
   * the caller may modify.
   */
  readonly managers: Map<string, FieldsOwner>;
  /** All fields that the update changed. */
  readonly taken: FieldSet;
}

/**
 * Computes the owners of fields after a write, and the result of applying a configuration. Does not modify its arguments. A step is one
 * operation on a whole object or set: 20 ms for those with the most parts that are accepted.
 */
export class Updater {
  readonly #versions: KindVersions;
  readonly #filters: ReadonlyMap<string, FieldSetFilter>;

  constructor({ versions, filters }: UpdaterOptions) {
    this.#versions = versions;
    this.#filters = filters;
  }

  /**
   * Computes the owners after a write that is not an apply. The owner with the identity `updater` keeps its changed fields: the caller
   * gives it all of `taken` afterwards, so removing them first would be wasted work.
   */
  *update(
    live: TypedValue,
    next: TypedValue,
    apiVersion: string,
    managers: Managers,
    updater: string | undefined,
  ): Steps<Updated> {
    const owners = yield* this.#reconcile(managers);
    const comparison = yield* this.#takeOver(live, next, apiVersion, owners, undefined, true, updater);
    return { managers: owners, taken: comparison.modified.union(comparison.added) };
  }

  /** Returns all fields that an update changes: `taken` of `update`, for an object without owners. */
  changed(live: TypedValue, next: TypedValue, apiVersion: string): FieldSet {
    const { modified, added } = this.#compare(live, next, apiVersion);
    return modified.union(added);
  }

  /**
   * Merges the configuration into the live object, removes the fields that the applier gave up and that no other manager owns, and makes
   * the applier the owner of the fields in the configuration. `object` is undefined when nothing changes. Throws ConflictsError when
   * other managers own fields that would change, unless forced.
   */
  *apply(
    live: TypedValue,
    config: TypedValue,
    applier: { readonly identity: string; readonly owner: Omit<FieldsOwner, 'set' | 'time'> },
    managers: Managers,
    force: boolean,
  ): Steps<{ object: TypedValue | undefined; managers: Managers }> {
    const { identity, owner } = applier;
    const owners = yield* this.#reconcile(managers);
    const previous = owners.get(identity);
    const set = this.#filtered(config.toFieldSet(), owner.apiVersion);
    yield;
    owners.set(identity, { ...owner, time: managers.get(identity)?.time, set });
    const merged = live.merge(config);
    yield;
    const object = hasGivenUp(previous, set, owners)
      ? yield* this.#prune(merged, owners, owner.apiVersion, previous)
      : merged;
    yield* this.#takeOver(live, object, owner.apiVersion, owners, identity, force);
    return { object: jsonEquals(live.value, object.value) ? undefined : object, managers: owners };
  }

  /** Drops owners of unknown versions and adapts the sets of the others to the current schema. */
  *#reconcile(managers: Managers): Steps<Map<string, FieldsOwner>> {
    const reconciled = new Map<string, FieldsOwner>();
    for (const [identity, owner] of managers) {
      const schema = this.#versions.schemaFor(owner.apiVersion);
      if (schema === undefined) continue;
      const set = reconcileFieldSet(owner.set, schema);
      reconciled.set(identity, set === owner.set ? owner : { ...owner, set });
      yield;
    }
    return reconciled;
  }

  #filtered(set: FieldSet, apiVersion: string): FieldSet {
    return this.#filters.get(apiVersion)?.(set) ?? set;
  }

  #compare(before: TypedValue, after: TypedValue, apiVersion: string): Comparison {
    const { added, modified, removed } = before.compare(after);
    const filter = this.#filters.get(apiVersion);
    return filter === undefined
      ? { added, modified, removed }
      : { added: filter(added), modified: filter(modified), removed: filter(removed) };
  }

  /**
   * Removes changed and removed fields from the sets of all owners but `taker`, and only removed fields from that of `keeper`. Modifies
   * `owners`. Throws ConflictsError when an owner loses changed fields, unless forced.
   */
  *#takeOver(
    before: TypedValue,
    after: TypedValue,
    apiVersion: string,
    owners: Map<string, FieldsOwner>,
    taker: string | undefined,
    force: boolean,
    keeper?: string,
  ): Steps<Comparison> {
    const own = this.#compare(before, after, apiVersion);
    yield;
    const comparisons = new Map([[apiVersion, own]]);
    const conflicts = new Map<string, { owner: FieldsOwner; set: FieldSet }>();
    const reduced = new Map<string, FieldSet>();
    for (const [identity, owner] of owners) {
      if (identity === taker) continue;
      let comparison = comparisons.get(owner.apiVersion);
      if (comparison === undefined) {
        comparison = yield* this.#compareIn(owner.apiVersion, before, after);
        yield;
        comparisons.set(owner.apiVersion, comparison);
      }
      const { added, modified, removed } = comparison;
      if (identity === keeper) {
        reduced.set(identity, owner.set.difference(removed));
        continue;
      }
      const set = owner.set.intersection(modified).union(owner.set.intersection(added));
      if (!set.isEmpty()) conflicts.set(identity, { owner, set });
      yield;
      reduced.set(identity, owner.set.difference(set).difference(removed));
      yield;
    }
    if (!force && conflicts.size > 0) throw ConflictsError.of(conflicts);
    for (const [identity, set] of reduced) {
      const owner = owners.get(identity)!;
      if (set !== owner.set) owners.set(identity, { ...owner, set });
    }
    for (const [identity, owner] of owners) if (owner.set.isEmpty()) owners.delete(identity);
    return own;
  }

  *#compareIn(apiVersion: string, before: TypedValue, after: TypedValue): Steps<Comparison> {
    const from = this.#convert(before, apiVersion)!;
    yield;
    const to = this.#convert(after, apiVersion)!;
    yield;
    return this.#compare(from, to, apiVersion);
  }

  /** Returns undefined when the version is unknown. */
  #convert(object: TypedValue, apiVersion: string): TypedValue | undefined {
    if (isJsonObject(object.value) && object.value.apiVersion === apiVersion) return object;
    const schema = this.#versions.schemaFor(apiVersion);
    return schema && TypedValue.of(this.#versions.convert(object.value, apiVersion), schema);
  }

  /** Removes the fields from the merged object that the applier owned by its last apply and that no manager claims now. */
  *#prune(merged: TypedValue, owners: Managers, apiVersion: string, last: FieldsOwner): Steps<TypedValue> {
    yield;
    const before = this.#convert(merged, last.apiVersion);
    if (before === undefined) return merged;
    const lastNamed = before.withNamedFields(last.set);
    yield;
    const gone = before.removeItems(lastNamed);
    yield;
    const owned = yield* this.#withOwned(before, gone, last.apiVersion, owners);
    const pruned = yield* this.#withDangling(before, owned, last);
    yield;
    return this.#convert(pruned, apiVersion) ?? pruned;
  }

  /** Puts back the fields that some manager owns. */
  *#withOwned(merged: TypedValue, pruned: TypedValue, apiVersion: string, owners: Managers): Steps<TypedValue> {
    const owned = new Map<string, FieldSet>();
    for (const owner of owners.values()) {
      owned.set(owner.apiVersion, (owned.get(owner.apiVersion) ?? FieldSet.empty).union(owner.set));
      yield;
    }
    // The version of the pruned object first: conversion to another version may need what is put back.
    const first = owned.get(apiVersion);
    const ordered = first === undefined ? owned : new Map([[apiVersion, first], ...owned]);
    for (const [version, set] of ordered) {
      const mergedThere = this.#convert(merged, version);
      yield;
      const prunedThere = this.#convert(pruned, version);
      yield;
      if (mergedThere === undefined || prunedThere === undefined) continue;
      const left = yield* named(prunedThere, mergedThere);
      const kept = left.union(mergedThere.withNamedFields(set));
      yield;
      merged = mergedThere;
      const all = yield* named(mergedThere, mergedThere);
      const unowned = all.difference(kept);
      yield;
      pruned = mergedThere.removeItems(unowned);
      yield;
    }
    return pruned;
  }

  /**
   * Puts back fields that the applier did not own by its last apply: unowned fields, and fields removed only because of their
   * surroundings.
   */
  *#withDangling(merged: TypedValue, pruned: TypedValue, last: FieldsOwner): Steps<TypedValue> {
    const prunedThere = this.#convert(pruned, last.apiVersion);
    if (prunedThere === undefined) return merged;
    yield;
    const all = yield* named(merged, merged);
    const left = yield* named(prunedThere, merged);
    const gone = all.difference(left);
    yield;
    const given = gone.intersection(merged.withNamedFields(last.set));
    yield;
    return merged.removeItems(given);
  }
}

/** Returns all fields of the object, with the struct fields above them according to the schema of `of`. */
function* named(object: TypedValue, of: TypedValue): Steps<FieldSet> {
  const set = object.toFieldSet();
  yield;
  const withFields = of.withNamedFields(set);
  yield;
  return withFields;
}

/** Whether pruning could remove anything. With owners of several versions it could: conversion to another version may lose fields. */
function hasGivenUp(previous: FieldsOwner | undefined, set: FieldSet, owners: Managers): previous is FieldsOwner {
  if (previous === undefined) return false;
  for (const { apiVersion } of owners.values()) if (apiVersion !== previous.apiVersion) return true;
  return !previous.set.difference(set).isEmpty();
}
