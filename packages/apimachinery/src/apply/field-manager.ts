import { newBadRequest } from '../errors/index.ts';
import { messageOf } from '../errors/message-of.ts';
import { cloneJson, isJsonObject } from '../json/index.ts';
import { GroupVersion, GroupVersionKind, type KubernetesObject, type ManagedFieldsEntry } from '../meta/index.ts';
import type { Schema } from '../schema/schema.ts';
import { completed, type Steps } from '../steps/index.ts';
import { timeFromDate } from '../time/time.ts';
import { capUpdateManagers } from './cap-managers.ts';
import { ConflictsError } from './conflict.ts';
import { emptyObject } from './empty-object.ts';
import { FieldSet } from './field-set.ts';
import type { FieldSetFilter } from './field-set-filter.ts';
import { allowedByLastApplied, lastAppliedManager, withLastApplied } from './last-applied.ts';
import {
  decodeManagedFieldsInSteps,
  encodeEntry,
  encodeManagedFieldsInSteps,
  type FieldsOwner,
  type Managers,
  ownerIdentity,
} from './managers.ts';
import { fieldPath } from './path-element.ts';
import { TypedValue } from './typed-value.ts';
import { type KindVersions, Updater } from './updater.ts';

export interface FieldManagerOptions {
  /** The apiVersion of the requests it serves. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for the resource itself. */
  readonly subresource?: string;
  readonly versions: KindVersions;
  /** Filters by version: the fields that writes through this resource can change. Fields that its strategy resets are left out. */
  readonly filters?: ReadonlyMap<string, FieldSetFilter>;
  /**
   * Returns a new object without any field set. By default derived from the schema; that of a custom resource has only apiVersion and
   * kind.
   */
  readonly emptyObject?: () => KubernetesObject;
  /** Converts a merged object to the form objects have in memory: canonical values, no stray nulls, defaults set. */
  readonly complete?: (object: KubernetesObject) => KubernetesObject;
  /** Skips the validation of objects that were decoded with the schema, as those of built-in kinds are. */
  readonly objectsFit?: boolean;
  readonly now: () => Date;
}

export interface FieldManagerApplyOptions {
  readonly manager: string;
  /** Takes ownership of fields that other managers own. */
  readonly force?: boolean;
}

/** A manager of operation Update, with its owner and identity computed once. */
interface Updating {
  readonly manager: string;
  readonly owner: Omit<FieldsOwner, 'set' | 'time'>;
  readonly identity: string;
}

/** Fields of the object itself, which no manager can own. */
const strippedFields = FieldSet.of(
  fieldPath('apiVersion'),
  fieldPath('kind'),
  fieldPath('metadata'),
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => fieldPath('metadata', name)),
);

const beforeFirstApply = 'before-first-apply';

/**
 * Maintains an object's managedFields on every write and applies configurations. There is one for each version of a resource and each of
 * its subresources. It does not modify the objects passed in; results share parts with them.
 */
export class FieldManager {
  readonly #options: FieldManagerOptions;
  readonly #subresource: string;
  readonly #updater: Updater;
  /** Cache of the last manager: most writes are by the same manager as the one before. */
  #lastUpdater: Updating | undefined;
  /** Cache of `#withoutStripped`: most objects have the same fields as the one before. */
  #lastTaken: { readonly set: FieldSet; readonly stripped: FieldSet } | undefined;
  /** Cache of `#empty`. Must not be modified. */
  #nothing: KubernetesObject | undefined;

  constructor(options: FieldManagerOptions) {
    this.#options = options;
    this.#subresource = options.subresource ?? '';
    this.#updater = new Updater({ versions: options.versions, filters: options.filters ?? new Map() });
  }

  /**
   * Returns `next` with its managedFields after a create (`live` is undefined), update or patch by the manager. managedFields in `next`
   * replace the live ones; `[]` or `[{}]` clears them. An existing object without managedFields gets none before the first apply. Throws
   * when an object does not fit its schema.
   */
  update<T extends KubernetesObject>(live: KubernetesObject | undefined, next: T, manager: string): T {
    return completed(this.updateInSteps(live, next, manager));
  }

  /** Like `update`, in steps. */
  *updateInSteps<T extends KubernetesObject>(live: KubernetesObject | undefined, next: T, manager: string): Steps<T> {
    if (!this.#hasMetadata()) return next;
    if (live === undefined && next.metadata && !('managedFields' in next.metadata))
      return yield* this.#created(next, manager);
    const managers = yield* this.#decodeLiveOrNew(live, next);
    const bare = withManagedFields(next, undefined);
    if (managers.size === 0 && live?.metadata?.uid) return bare;
    const owners = yield* this.#track(live ?? this.#empty(), bare, managers, manager);
    return withManagedFields(bare, yield* encodeManagedFieldsInSteps(owners));
  }

  /** The fast path of `update` for a new object without managedFields: the manager owns everything in it. */
  *#created<T extends KubernetesObject>(next: T, manager: string): Steps<T> {
    const { apiVersion } = this.#options;
    const from = this.#written(this.#versioned(this.#empty()));
    const to = this.#written(this.#versioned(next));
    yield;
    const changed = this.#updater.changed(from, to, apiVersion);
    yield;
    const set = this.#withoutStripped(changed);
    if (set.isEmpty()) return next;
    yield;
    const entry = encodeEntry({ ...this.#updating(manager).owner, set, time: timeFromDate(this.#options.now()) });
    return { ...next, metadata: { ...next.metadata, managedFields: [entry] } };
  }

  /** Like `update`, but returns the object without managedFields where `update` throws, so that no write fails because of them. */
  updateNoErrors<T extends KubernetesObject>(live: KubernetesObject | undefined, next: T, manager: string): T {
    return completed(this.updateNoErrorsInSteps(live, next, manager));
  }

  /** Like `updateNoErrors`, in steps. */
  *updateNoErrorsInSteps<T extends KubernetesObject>(
    live: KubernetesObject | undefined,
    next: T,
    manager: string,
  ): Steps<T> {
    try {
      return yield* this.updateInSteps(live, next, manager);
    } catch {
      return withManagedFields(next, undefined);
    }
  }

  /**
   * Applies the patch to the live object, or creates an object when `live` is undefined. Returns the result in the version of the live
   * object. When nothing changes, managedFields keep their times. Throws ApiError: Conflict when other managers own fields that would
   * change, unless forced; BadRequest for a patch of another kind or with managedFields. Throws a plain Error, which upstream answers
   * with 500, when the patch does not fit the schema.
   */
  apply(
    live: KubernetesObject | undefined,
    patch: KubernetesObject,
    options: FieldManagerApplyOptions,
  ): KubernetesObject {
    return completed(this.applyInSteps(live, patch, options));
  }

  /** Like `apply`, in steps. */
  *applyInSteps(
    live: KubernetesObject | undefined,
    patch: KubernetesObject,
    options: FieldManagerApplyOptions,
  ): Steps<KubernetesObject> {
    const { manager, force = false } = options;
    // A clone: the result shares its parts, and `complete` may modify them in place.
    const current = live ?? cloneJson(this.#empty());
    const managers = yield* decodeLive(current);
    if (kindOf(patch) !== this.#kind()) throw newBadRequest(`invalid object type: ${kindOf(patch)}`);
    try {
      const [object, owners] = yield* this.#applyOrTakeOver(current, patch, managers, manager, force);
      yield;
      const annotated = manager === lastAppliedManager ? withLastApplied(object, patch) : object;
      yield;
      return withManagedFields(annotated, yield* encodeManagedFieldsInSteps(owners));
    } catch (error) {
      if (!(error instanceof ConflictsError)) throw error;
      yield;
      throw error.toApiError();
    }
  }

  /** Like `#applyTo`, but the manager kubectl needs no force to take fields that its client-side apply set. */
  *#applyOrTakeOver(
    live: KubernetesObject,
    patch: KubernetesObject,
    managers: Managers,
    manager: string,
    force: boolean,
  ): Steps<[KubernetesObject, Managers]> {
    try {
      return yield* this.#applyTo(live, patch, managers, manager, force);
    } catch (error) {
      if (manager !== lastAppliedManager || !(error instanceof ConflictsError)) throw error;
      yield;
      const { apiVersion } = this.#options;
      const allowed = yield* allowedByLastApplied(this.#versioned(live), apiVersion, this.#schema());
      if (allowed === undefined) throw error;
      const others = error.conflicts.filter(({ path }) => !allowed.has(path));
      if (others.length > 0) throw new ConflictsError(others);
      return yield* this.#applyTo(live, patch, managers, manager, true);
    }
  }

  *#applyTo(
    live: KubernetesObject,
    patch: KubernetesObject,
    managers: Managers,
    manager: string,
    force: boolean,
  ): Steps<[KubernetesObject, Managers]> {
    const bare = withManagedFields(this.#versioned(live), undefined);
    yield;
    // An object without managedFields: its existing fields are owned by `before-first-apply`.
    const known = managers.size > 0 ? managers : yield* this.#track(this.#empty(), bare, managers, beforeFirstApply);
    if (Array.isArray(patch.metadata?.managedFields)) throw newBadRequest('metadata.managedFields must be nil');
    const where = `(${textOf(patch.metadata?.namespace)}/${textOf(patch.metadata?.name)}; ${kindOf(patch)})`;
    const config = failing(`failed to create typed patch object ${where}`, () => TypedValue.of(patch, this.#schema()));
    yield;
    const typed = failing(`failed to create typed live object ${where}`, () => this.#typed(bare));
    yield;

    const owner = this.#owner(manager, 'Apply');
    const identity = ownerIdentity(owner);
    const applied = yield* this.#updater.apply(typed, config, { identity, owner }, known, force);
    const owners = new Map(applied.managers);
    const own = owners.get(identity);
    if (own !== undefined) {
      const set = own.set.difference(strippedFields);
      if (set.isEmpty()) owners.delete(identity);
      else
        owners.set(identity, {
          ...own,
          set,
          time: applied.object === undefined ? own.time : timeFromDate(this.#options.now()),
        });
    }
    const merged = applied.object?.value;
    if (!isKubernetesObject(merged)) return [withManagedFields(live, undefined), owners];
    yield;
    const complete = this.#options.complete ?? ((object) => object);
    const object = failing(`failed to convert new object ${where} to proper version`, () => complete(merged));
    yield;
    return [this.#convert(object, live.apiVersion), owners];
  }

  /** Returns the owners after the manager updated `live` to `next`. */
  *#track(live: KubernetesObject, next: KubernetesObject, managers: Managers, manager: string): Steps<Managers> {
    const { owner, identity } = this.#updating(manager);
    const before = managers.get(identity)?.set;
    const from = this.#written(withManagedFields(this.#versioned(live), undefined));
    yield;
    const to = this.#written(this.#versioned(next));
    yield;
    const updated = yield* this.#updater.update(
      from,
      to,
      this.#options.apiVersion,
      managers,
      // This manager gets its changed fields back below, so they are not taken from it first. Exception: it owns stripped fields, which
      // must be dropped.
      before !== undefined && before.difference(strippedFields) === before ? identity : undefined,
    );
    const taken = this.#withoutStripped(updated.taken);
    if (taken.isEmpty()) return capUpdateManagers(updated.managers);
    const set = updated.managers.get(identity)?.set.union(taken) ?? taken;
    updated.managers.set(identity, { ...owner, set, time: timeFromDate(this.#options.now()) });
    return capUpdateManagers(updated.managers);
  }

  #withoutStripped(set: FieldSet): FieldSet {
    if (this.#lastTaken?.set !== set) this.#lastTaken = { set, stripped: set.difference(strippedFields) };
    return this.#lastTaken.stripped;
  }

  *#decodeLiveOrNew(live: KubernetesObject | undefined, next: KubernetesObject): Steps<Managers> {
    // A write through a subresource cannot set managedFields.
    if (this.#subresource === '') {
      const entries = next.metadata?.managedFields;
      if (isReset(entries)) return new Map();
      const managers = yield* decodeOrEmpty(entries);
      // Clients that do not know managedFields must not delete them by accident.
      if (managers.size > 0) return managers;
    }
    return yield* decodeOrEmpty(live?.metadata?.managedFields);
  }

  #updating(manager: string): Updating {
    if (this.#lastUpdater?.manager !== manager) {
      const owner = this.#owner(manager, 'Update');
      this.#lastUpdater = { manager, owner, identity: ownerIdentity(owner) };
    }
    return this.#lastUpdater;
  }

  #owner(manager: string, operation: 'Apply' | 'Update'): Omit<FieldsOwner, 'set' | 'time'> {
    const { apiVersion } = this.#options;
    return { manager: manager || 'unknown', operation, apiVersion, subresource: this.#subresource };
  }

  #schema(): Schema {
    const { apiVersion, kind, versions } = this.#options;
    const schema = versions.schemaFor(apiVersion);
    if (schema === undefined) throw new Error(`no corresponding type for ${apiVersion}, Kind=${kind}`);
    return schema;
  }

  #hasMetadata(): boolean {
    const schema = this.#schema();
    return schema.kind !== 'struct' || schema.preserveUnknownFields === true || schema.fields.has('metadata');
  }

  #typed(object: KubernetesObject): TypedValue {
    return TypedValue.of(object, this.#schema(), { allowDuplicates: true });
  }

  /** Like `#typed`, without validation when `objectsFit` is set. Only for complete objects, not for merged ones. */
  #written(object: KubernetesObject): TypedValue {
    return this.#options.objectsFit ? TypedValue.fitting(object, this.#schema()) : this.#typed(object);
  }

  #versioned(object: KubernetesObject): KubernetesObject {
    return this.#convert(object, this.#options.apiVersion);
  }

  #convert(object: KubernetesObject, apiVersion: string | undefined): KubernetesObject {
    if (object.apiVersion === undefined || apiVersion === undefined || object.apiVersion === apiVersion) return object;
    const converted = this.#options.versions.convert(object, apiVersion);
    if (!isKubernetesObject(converted)) throw new Error(`conversion to ${apiVersion} gave no object`);
    return converted;
  }

  #empty(): KubernetesObject {
    const { apiVersion, kind, emptyObject: make } = this.#options;
    if (make !== undefined) return make();
    if (!this.#nothing) {
      const schema = this.#schema();
      this.#nothing = { ...(schema.kind === 'struct' ? emptyObject(schema) : {}), apiVersion, kind };
    }
    return this.#nothing;
  }

  #kind(): string {
    const { apiVersion, kind } = this.#options;
    return GroupVersion.parse(apiVersion).withKind(kind).toString();
  }
}

const isKubernetesObject = (value: unknown): value is KubernetesObject => isJsonObject(value);

/** Returns the value if it is a string, otherwise ''. A patch comes from a client, so its fields may be of any type. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function kindOf({ apiVersion, kind }: KubernetesObject): string {
  const version = GroupVersion.tryParse(textOf(apiVersion));
  return GroupVersionKind.of(version?.group ?? '', version?.version ?? '', textOf(kind)).toString();
}

function withManagedFields<T extends KubernetesObject>(object: T, entries: ManagedFieldsEntry[] | undefined): T {
  const { metadata } = object;
  if (entries === undefined && !(metadata && 'managedFields' in metadata)) return object;
  const { managedFields: _, ...rest } = metadata ?? {};
  return { ...object, metadata: entries === undefined ? rest : { ...rest, managedFields: entries } };
}

function* decodeLive(live: KubernetesObject): Steps<Managers> {
  try {
    return yield* decodeManagedFieldsInSteps(live.metadata?.managedFields);
  } catch (cause) {
    throw failure('failed to decode managed fields', cause);
  }
}

function* decodeOrEmpty(entries: readonly ManagedFieldsEntry[] | undefined): Steps<Managers> {
  try {
    return yield* decodeManagedFieldsInSteps(entries);
  } catch {
    return new Map();
  }
}

/** True for an empty list, or for one empty entry, which clients send that cannot send empty lists. */
function isReset(entries: readonly ManagedFieldsEntry[] | undefined): boolean {
  if (!Array.isArray(entries)) return false;
  const [first, ...more] = entries;
  return (
    first === undefined || (more.length === 0 && isJsonObject(first) && Object.values(first).every((value) => !value))
  );
}

/** Calls `run` and prefixes the message of the error it throws with `text`. */
function failing<T>(text: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    throw failure(text, cause);
  }
}

const failure = (text: string, cause: unknown): Error => new Error(`${text}: ${messageOf(cause)}`, { cause });
