import { cloneJson } from '../json/clone.ts';
import { isList } from '../meta/accessor.ts';
import type { GroupKind, GroupVersion } from '../meta/group-version.ts';
import { GroupVersionKind } from '../meta/group-version.ts';
import type { TypeMeta } from '../meta/type-meta.ts';
import { quote } from '../strconv/quote.ts';
import { defaultFieldLabelConversion, type FieldLabelConversion } from './field-label.ts';
import { type Convert, type HubConversion, HubRegistry } from './hub-conversion.ts';
import type { RuntimeObject } from './object.ts';
import type { ObjectType } from './object-type.ts';
import { MissingKindError, MissingVersionError, NotRegisteredError } from './scheme-errors.ts';
import { VersionRegistry } from './version-registry.ts';

/** A method, not a function property: methods are bivariant, so a defaulter of Pods can be stored among those of any object. */
interface Defaulter {
  setDefaults(object: TypeMeta): void;
}

/**
 * The kinds that a program knows: which type belongs to which group, version and kind, how objects are defaulted, and how they are
 * converted from one version to another.
 *
 * Types are `ObjectType` tokens, objects are plain data. Everything is registered first and looked up afterwards; `freeze` enforces this.
 * The Scheme knows nothing of encodings: codecs take a Scheme.
 */
export class Scheme {
  /** Appears in errors. */
  readonly name: string;

  readonly #gvkToType = new Map<GroupVersionKind, ObjectType>();
  /** Inverse of `#gvkToType`; the kinds of a type in order of registration. */
  readonly #typeToGVK = new Map<ObjectType, GroupVersionKind[]>();
  /** Types with one form only, whatever version is requested; each with the kind it is written as. */
  readonly #unversionedTypes = new Map<ObjectType, GroupVersionKind>();
  /** Names of kinds that can appear in any group and version. */
  readonly #unversionedKinds = new Map<string, ObjectType>();
  readonly #defaulters = new Map<ObjectType, Defaulter>();
  readonly #fieldLabels = new Map<GroupVersionKind, FieldLabelConversion>();
  readonly #versions = new VersionRegistry();
  readonly #hubs = new HubRegistry();
  #frozen = false;

  constructor(name: string) {
    this.name = name;
  }

  /** Returns an independent copy of the scheme, which is not frozen. */
  clone(name: string = this.name): Scheme {
    const copy = new Scheme(name);
    copyEntries(this.#gvkToType, copy.#gvkToType);
    for (const [type, kinds] of this.#typeToGVK) copy.#typeToGVK.set(type, [...kinds]);
    copyEntries(this.#unversionedTypes, copy.#unversionedTypes);
    copyEntries(this.#unversionedKinds, copy.#unversionedKinds);
    copyEntries(this.#defaulters, copy.#defaulters);
    copyEntries(this.#fieldLabels, copy.#fieldLabels);
    copy.#versions.copyFrom(this.#versions);
    copy.#hubs.copyFrom(this.#hubs);
    return copy;
  }

  /** Ends registration: from now on, all methods that would modify the scheme throw. Returns the scheme. */
  freeze(): this {
    this.#frozen = true;
    return this;
  }

  // Types and kinds

  /** Registers the types as kinds of that version, each under its own name. */
  addKnownTypes(version: GroupVersion, ...types: ObjectType[]): void {
    this.#assertOpen();
    this.#versions.observe(version);
    for (const type of types) this.addKnownTypeWithName(version.withKind(type.kind), type);
  }

  /** Registers a type as that kind. Registering it again has no effect; another type for the same kind throws. */
  addKnownTypeWithName(gvk: GroupVersionKind, type: ObjectType): void {
    this.#assertOpen();
    if (gvk.version === '') throw new Error(`version is required on all types: ${gvk} ${type}`);
    this.#versions.observe(gvk.groupVersion);
    const old = this.#gvkToType.get(gvk);
    if (old === type) return;
    if (old) {
      throw new Error(
        `Double registration of different types for ${gvk}: old=${old}, new=${type} in scheme ${quote(this.name)}`,
      );
    }
    this.#gvkToType.set(gvk, type);
    const kinds = this.#typeToGVK.get(type);
    if (kinds) kinds.push(gvk);
    else this.#typeToGVK.set(type, [gvk]);
  }

  /** Registers types that are never converted: they are written as kinds of that version, and read in any version. */
  addUnversionedTypes(version: GroupVersion, ...types: ObjectType[]): void {
    for (const type of types) {
      const gvk = version.withKind(type.kind);
      const old = this.#unversionedKinds.get(gvk.kind);
      if (old && old !== type) {
        throw new Error(
          `${old} has already been registered as unversioned kind ${quote(gvk.toString())} - kind name must be unique in scheme ${quote(this.name)}`,
        );
      }
      this.addKnownTypes(version, type);
      this.#unversionedTypes.set(type, gvk);
      this.#unversionedKinds.set(gvk.kind, type);
    }
  }

  /** Whether a type is registered for exactly this kind. */
  recognizes(gvk: GroupVersionKind): boolean {
    return this.#gvkToType.has(gvk);
  }

  /** Returns the type of a kind, including unversioned kinds in any version; undefined when there is none. */
  typeFor(gvk: GroupVersionKind): ObjectType | undefined {
    return this.#gvkToType.get(gvk) ?? this.#unversionedKinds.get(gvk.kind);
  }

  /** Returns all kinds as which a type is registered. Throws NotRegisteredError when there is none. */
  kindsFor(type: ObjectType): readonly GroupVersionKind[] {
    const kinds = this.#typeToGVK.get(type);
    if (!kinds) throw NotRegisteredError.forType(this.name, type);
    return kinds;
  }

  /**
   * Returns all kinds as which the object could be written, and whether its type is unversioned. Throws MissingKindError,
   * MissingVersionError or NotRegisteredError.
   */
  objectKinds(object: TypeMeta): { kinds: readonly GroupVersionKind[]; unversioned: boolean } {
    const type = this.#typeOf(kindOf(object));
    return { kinds: this.kindsFor(type), unversioned: this.#unversionedTypes.has(type) };
  }

  /** Whether the object's kind is of that type. Narrows the TypeScript type. */
  is<T>(type: ObjectType<T>, object: TypeMeta): object is T & TypeMeta {
    return this.typeFor(GroupVersionKind.fromObject(object)) === type;
  }

  isUnversioned(type: ObjectType): boolean {
    return this.#unversionedTypes.has(type);
  }

  /** Returns an object of that kind without any field set. Throws NotRegisteredError. */
  new(gvk: GroupVersionKind): RuntimeObject {
    const zero = this.#typeOf(gvk).zero?.();
    return { kind: gvk.kind, apiVersion: gvk.apiVersion, ...(typeof zero === 'object' ? zero : undefined) };
  }

  /** Returns the types of one version by kind. */
  knownTypes(version: GroupVersion): Map<string, ObjectType> {
    const types = new Map<string, ObjectType>();
    for (const [gvk, type] of this.#gvkToType) {
      if (gvk.group === version.group && gvk.version === version.version) types.set(gvk.kind, type);
    }
    return types;
  }

  allKnownTypes(): ReadonlyMap<GroupVersionKind, ObjectType> {
    return this.#gvkToType;
  }

  /** Returns the unversioned types with the kind that each is written as. */
  unversionedTypes(): ReadonlyMap<ObjectType, GroupVersionKind> {
    return this.#unversionedTypes;
  }

  // Versions

  /** Returns the external versions in the order of their first registration. */
  observedVersions(): GroupVersion[] {
    return this.#versions.observed;
  }

  isVersionRegistered(version: GroupVersion): boolean {
    return this.#versions.isVersionRegistered(version);
  }

  isGroupRegistered(group: string): boolean {
    return this.#versions.isGroupRegistered(group);
  }

  /** Enables versions again. All are enabled by default. */
  enableVersions(...versions: GroupVersion[]): void {
    this.#assertOpen();
    this.#versions.setEnabled(versions, true);
  }

  /** Disables versions: they are still known, converted and defaulted, but not to be served. */
  disableVersions(...versions: GroupVersion[]): void {
    this.#assertOpen();
    this.#versions.setEnabled(versions, false);
  }

  isVersionEnabled(version: GroupVersion): boolean {
    return this.#versions.isVersionEnabled(version);
  }

  /** Whether the group has an enabled version. */
  isGroupEnabled(group: string): boolean {
    return this.#versions.isGroupEnabled(group);
  }

  /** Sets the order of a group's versions, most preferred first. Throws unless they are of one group and external. */
  setVersionPriority(...versions: GroupVersion[]): void {
    this.#assertOpen();
    this.#versions.setPriority(versions);
  }

  /** Returns a group's versions, most preferred first; those without a priority follow in the order of registration. */
  prioritizedVersionsForGroup(group: string): GroupVersion[] {
    return this.#versions.prioritizedForGroup(group);
  }

  prioritizedVersionsAllGroups(): GroupVersion[] {
    return this.#versions.prioritizedForAllGroups();
  }

  /** Returns the most preferred version of every group. */
  preferredVersionAllGroups(): GroupVersion[] {
    return this.#versions.preferredForAllGroups();
  }

  /** Returns the versions that have the kind, most preferred first. */
  versionsForGroupKind(kind: GroupKind): GroupVersion[] {
    return this.prioritizedVersionsForGroup(kind.group).filter((version) =>
      this.recognizes(version.withKind(kind.kind)),
    );
  }

  // Defaults

  /**
   * Registers the function that sets the defaults of a type, or of a kind's type, in place. The last one registered is used. Throws
   * NotRegisteredError for an unknown kind.
   */
  addDefaulter<T extends TypeMeta>(target: ObjectType<T> | GroupVersionKind, setDefaults: (object: T) => void): void {
    this.#assertOpen();
    this.#defaulters.set(target instanceof GroupVersionKind ? this.#typeOf(target) : target, { setDefaults });
  }

  /** Sets the object's defaults in place; for a list, those of its items. Does nothing for unknown kinds. */
  default(object: TypeMeta): void {
    const gvk = GroupVersionKind.fromObject(object);
    const own = this.#defaulterFor(gvk);
    if (own) {
      own.setDefaults(object);
      return;
    }
    const itemKind = itemKindOf(gvk);
    const forItems = itemKind && this.#defaulterFor(itemKind);
    if (forItems && isList(object)) {
      for (const item of object.items) {
        if (typeof item === 'object' && item !== null) forItems.setDefaults(item);
      }
    }
  }

  // Conversions

  /** Registers how a kind is converted to its hub and back. Throws when it already has a conversion. */
  addHubConversion<Version extends TypeMeta, Hub extends TypeMeta>(
    gvk: GroupVersionKind,
    hub: GroupVersionKind,
    conversion: HubConversion<Version, Hub>,
  ): void {
    this.#assertOpen();
    this.#hubs.add(gvk, hub, conversion);
  }

  /** Returns the kind's hub; without a conversion, the kind itself. */
  hubFor(gvk: GroupVersionKind): GroupVersionKind {
    return this.#hubs.hubOf(gvk);
  }

  /**
   * Returns the object in that version, converted through the hub, list items included. The result shares nothing with the object. Throws
   * NotRegisteredError when kind or target are unknown, and an Error when there is no conversion.
   */
  convertToVersion(object: TypeMeta, target: GroupVersion): RuntimeObject {
    return this.unsafeConvertToVersion(cloneJson(object), target);
  }

  /** Like `convertToVersion`, without the copy: the object may be modified, and the result may share parts with it or be it. */
  unsafeConvertToVersion(object: TypeMeta, target: GroupVersion): RuntimeObject {
    const from = kindOf(object);
    const type = this.#typeOf(from);
    const to = this.#targetKind(from, type, target);
    const targetType = this.typeFor(to);
    if (targetType === type) return withKind(object, to);
    if (!targetType) throw NotRegisteredError.forKind(this.name, to);
    const convert = this.#converter(from, to);
    if (!convert) throw new Error(`converting (${type}) to (${targetType}): unknown conversion`);
    return withKind(convert(object), to);
  }

  // Field labels

  addFieldLabelConversion(gvk: GroupVersionKind, conversion: FieldLabelConversion): void {
    this.#assertOpen();
    this.#fieldLabels.set(gvk, conversion);
  }

  /** Translates one term of a field selector for that kind. Throws when the kind cannot be selected by it. */
  convertFieldLabel(gvk: GroupVersionKind, label: string, value: string): { label: string; value: string } {
    return (this.#fieldLabels.get(gvk) ?? defaultFieldLabelConversion)(label, value);
  }

  #typeOf(gvk: GroupVersionKind): ObjectType {
    const type = this.typeFor(gvk);
    if (!type) throw NotRegisteredError.forKind(this.name, gvk);
    return type;
  }

  #defaulterFor(gvk: GroupVersionKind): Defaulter | undefined {
    const type = this.typeFor(gvk);
    return type && this.#defaulters.get(type);
  }

  #targetKind(from: GroupVersionKind, type: ObjectType, target: GroupVersion): GroupVersionKind {
    const inTarget = this.kindsFor(type).filter((gvk) => gvk.groupVersion === target);
    const sameType = inTarget.find((gvk) => gvk.kind === from.kind) ?? inTarget[0];
    if (sameType) return sameType;
    const unversioned = this.#unversionedTypes.get(type);
    if (unversioned) return target.kindFor([unversioned]) ?? unversioned;
    const to = target.withKind(from.kind);
    // A kind may also exist in another group: events of the core group and of events.k8s.io have one hub.
    if (from.group !== target.group && !this.#converter(from, to)) {
      throw NotRegisteredError.forTarget(this.name, type, target);
    }
    return to;
  }

  #converter(from: GroupVersionKind, to: GroupVersionKind): Convert | undefined {
    return this.#hubs.converter(from, to) ?? this.#listConverter(from, to);
  }

  /** Lists are converted by converting their items. Items have apiVersion and kind only if they had them before. */
  #listConverter(from: GroupVersionKind, to: GroupVersionKind): Convert | undefined {
    const itemFrom = itemKindOf(from);
    const itemTo = itemKindOf(to);
    const convert = itemFrom && itemTo && this.#hubs.converter(itemFrom, itemTo);
    if (!convert) return undefined;
    const convertItem = (item: unknown): unknown => {
      if (typeof item !== 'object' || item === null) return item;
      return Object.hasOwn(item, 'kind') ? withKind(convert(item), itemTo) : convert(item);
    };
    return (list) => (isList(list) ? { ...list, items: list.items.map(convertItem) } : list);
  }

  #assertOpen(): void {
    if (this.#frozen) throw new Error(`scheme ${quote(this.name)} is frozen: register everything before`);
  }
}

function kindOf(object: TypeMeta): GroupVersionKind {
  const gvk = GroupVersionKind.fromObject(object);
  if (gvk.kind === '') throw new MissingKindError('unstructured object has no kind');
  if (gvk.version === '') throw new MissingVersionError('unstructured object has no version');
  return gvk;
}

function itemKindOf(gvk: GroupVersionKind): GroupVersionKind | undefined {
  return gvk.kind.length > 4 && gvk.kind.endsWith('List')
    ? GroupVersionKind.of(gvk.group, gvk.version, gvk.kind.slice(0, -4))
    : undefined;
}

/**
 * Sets kind and apiVersion: in place where the object already has both; otherwise in a copy that begins with them, as upstream writes
 * objects.
 */
function withKind(object: TypeMeta, { kind, apiVersion }: GroupVersionKind): RuntimeObject {
  if (Object.hasOwn(object, 'kind') && Object.hasOwn(object, 'apiVersion')) {
    return Object.assign(object, { kind, apiVersion });
  }
  return { ...{ kind, apiVersion }, ...object, kind, apiVersion };
}

function copyEntries<K, V>(from: ReadonlyMap<K, V>, to: Map<K, V>): void {
  for (const [key, value] of from) to.set(key, value);
}
