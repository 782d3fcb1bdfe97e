import { InternTable } from './intern.ts';
import type { TypeMeta } from './type-meta.ts';

/*
 * The names of kinds and resources. The five classes are immutable and interned: `of` returns the same instance for the same parts, so
 * that instances can be compared with `===` and used as keys of Map and Set. For that reason their constructors are private. (Two copies
 * of this package in one program intern separately; across them, compare by `toString()`.) The lengths in the keys keep the parts apart,
 * whatever characters they contain.
 */

const groupVersions = new InternTable<GroupVersion>();
const groupKinds = new InternTable<GroupKind>();
const groupResources = new InternTable<GroupResource>();
const groupVersionKinds = new InternTable<GroupVersionKind>();
const groupVersionResources = new InternTable<GroupVersionResource>();

/** The last values returned by `of`. */
const lastKind: { value: GroupVersionKind | undefined } = { value: undefined };
const lastVersion: { value: GroupVersion | undefined } = { value: undefined };

const pairKey = (a: string, b: string): string => `${a.length} ${a}${b}`;
const tripleKey = (a: string, b: string, c: string): string => `${a.length} ${b.length} ${a}${b}${c}`;

/** A group and one of its versions: `apps/v1`, or `v1` in the core group, whose name is empty. */
export class GroupVersion {
  readonly group: string;
  readonly version: string;

  private constructor(group: string, version: string) {
    this.group = group;
    this.version = version;
    Object.freeze(this);
  }

  static of(group: string, version: string): GroupVersion {
    const last = lastVersion.value;
    if (last && last.version === version && last.group === group) return last;
    const key = pairKey(group, version);
    const found = groupVersions.get(key) ?? groupVersions.add(key, new GroupVersion(group, version));
    lastVersion.value = found;
    return found;
  }

  /** Parses an apiVersion. An empty text and `/` are the empty value. Throws when there is more than one slash. */
  static parse(text: string): GroupVersion {
    const parsed = GroupVersion.tryParse(text);
    if (!parsed) throw new Error(`unexpected GroupVersion string: ${text}`);
    return parsed;
  }

  /** Like `parse`, but returns undefined for an invalid text. */
  static tryParse(text: string): GroupVersion | undefined {
    const slash = text.indexOf('/');
    if (slash === -1) return GroupVersion.of('', text);
    return text.includes('/', slash + 1) ? undefined : GroupVersion.of(text.slice(0, slash), text.slice(slash + 1));
  }

  get isEmpty(): boolean {
    return this.group === '' && this.version === '';
  }

  withKind(kind: string): GroupVersionKind {
    return GroupVersionKind.of(this.group, this.version, kind);
  }

  withResource(resource: string): GroupVersionResource {
    return GroupVersionResource.of(this.group, this.version, resource);
  }

  /**
   * Returns the kind in which to write an object for this version, given the object's kinds: the one of this version, otherwise the first
   * of the same group with its version replaced by this one.
   */
  kindFor(kinds: readonly GroupVersionKind[]): GroupVersionKind | undefined {
    const exact = kinds.find((kind) => kind.group === this.group && kind.version === this.version);
    if (exact) return exact;
    const sameGroup = kinds.find((kind) => kind.group === this.group);
    return sameGroup && this.withKind(sameGroup.kind);
  }

  toString(): string {
    return this.group === '' ? this.version : `${this.group}/${this.version}`;
  }
}

/** A kind in any version: `Deployment.apps`. */
export class GroupKind {
  readonly group: string;
  readonly kind: string;

  private constructor(group: string, kind: string) {
    this.group = group;
    this.kind = kind;
    Object.freeze(this);
  }

  static of(group: string, kind: string): GroupKind {
    const key = pairKey(group, kind);
    return groupKinds.get(key) ?? groupKinds.add(key, new GroupKind(group, kind));
  }

  /** Parses `Kind` or `Kind.group`. */
  static parse(text: string): GroupKind {
    const [kind, group] = splitAtDot(text);
    return GroupKind.of(group, kind);
  }

  get isEmpty(): boolean {
    return this.group === '' && this.kind === '';
  }

  withVersion(version: string): GroupVersionKind {
    return GroupVersionKind.of(this.group, version, this.kind);
  }

  toString(): string {
    return this.group === '' ? this.kind : `${this.kind}.${this.group}`;
  }
}

/** A resource in any version: `deployments.apps`. */
export class GroupResource {
  readonly group: string;
  readonly resource: string;

  private constructor(group: string, resource: string) {
    this.group = group;
    this.resource = resource;
    Object.freeze(this);
  }

  static of(group: string, resource: string): GroupResource {
    const key = pairKey(group, resource);
    return groupResources.get(key) ?? groupResources.add(key, new GroupResource(group, resource));
  }

  /** Parses `resource` or `resource.group`. */
  static parse(text: string): GroupResource {
    const [resource, group] = splitAtDot(text);
    return GroupResource.of(group, resource);
  }

  get isEmpty(): boolean {
    return this.group === '' && this.resource === '';
  }

  withVersion(version: string): GroupVersionResource {
    return GroupVersionResource.of(this.group, version, this.resource);
  }

  toString(): string {
    return this.group === '' ? this.resource : `${this.resource}.${this.group}`;
  }
}

/** A kind in one version, as stated by an object's apiVersion and kind. */
export class GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  // Computed at the first use, because they are used in every request.
  #groupVersion: GroupVersion | undefined;
  #groupKind: GroupKind | undefined;
  #apiVersion: string | undefined;

  private constructor(group: string, version: string, kind: string) {
    this.group = group;
    this.version = version;
    this.kind = kind;
    Object.freeze(this);
  }

  static of(group: string, version: string, kind: string): GroupVersionKind {
    // The same value is requested many times in a row, and comparing is far cheaper than a lookup.
    const last = lastKind.value;
    if (last && last.kind === kind && last.version === version && last.group === group) return last;
    const key = tripleKey(group, version, kind);
    const found = groupVersionKinds.get(key) ?? groupVersionKinds.add(key, new GroupVersionKind(group, version, kind));
    lastKind.value = found;
    return found;
  }

  /** Never throws: an invalid apiVersion leaves group and version empty. */
  static fromApiVersionAndKind(apiVersion: string, kind: string): GroupVersionKind {
    return GroupVersion.tryParse(apiVersion)?.withKind(kind) ?? GroupVersionKind.of('', '', kind);
  }

  /** Returns the kind that an object states. Missing fields are empty. */
  static fromObject(object: TypeMeta): GroupVersionKind {
    return GroupVersionKind.fromApiVersionAndKind(object.apiVersion ?? '', object.kind ?? '');
  }

  get isEmpty(): boolean {
    return this.group === '' && this.version === '' && this.kind === '';
  }

  get groupVersion(): GroupVersion {
    this.#groupVersion ??= GroupVersion.of(this.group, this.version);
    return this.#groupVersion;
  }

  get groupKind(): GroupKind {
    this.#groupKind ??= GroupKind.of(this.group, this.kind);
    return this.#groupKind;
  }

  /** The apiVersion as in an object. */
  get apiVersion(): string {
    this.#apiVersion ??= this.group === '' ? this.version : `${this.group}/${this.version}`;
    return this.#apiVersion;
  }

  toString(): string {
    return `${this.group}/${this.version}, Kind=${this.kind}`;
  }
}

/** A resource in one version, as named by a URL. */
export class GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  #groupVersion: GroupVersion | undefined;
  #groupResource: GroupResource | undefined;

  private constructor(group: string, version: string, resource: string) {
    this.group = group;
    this.version = version;
    this.resource = resource;
    Object.freeze(this);
  }

  static of(group: string, version: string, resource: string): GroupVersionResource {
    const key = tripleKey(group, version, resource);
    return (
      groupVersionResources.get(key) ??
      groupVersionResources.add(key, new GroupVersionResource(group, version, resource))
    );
  }

  get isEmpty(): boolean {
    return this.group === '' && this.version === '' && this.resource === '';
  }

  get groupVersion(): GroupVersion {
    this.#groupVersion ??= GroupVersion.of(this.group, this.version);
    return this.#groupVersion;
  }

  get groupResource(): GroupResource {
    this.#groupResource ??= GroupResource.of(this.group, this.resource);
    return this.#groupResource;
  }

  toString(): string {
    return `${this.group}/${this.version}, Resource=${this.resource}`;
  }
}

/**
 * Parses a kind that a user typed: `Pod`, `Pod.v1.`, `Deployment.apps`, `Deployment.v1.apps`. With two dots or more there are two
 * interpretations (`Deployment.v1.apps` could be in a group `v1.apps`), so both are returned.
 */
export function parseKindArg(text: string): { groupVersionKind?: GroupVersionKind; groupKind: GroupKind } {
  const parts = splitVersioned(text);
  return {
    groupVersionKind: parts && GroupVersionKind.of(parts.group, parts.version, parts.name),
    groupKind: GroupKind.parse(text),
  };
}

/** Parses a resource that a user typed: `pods`, `pods.v1.`, `deployments.apps`, `deployments.v1.apps`. */
export function parseResourceArg(text: string): {
  groupVersionResource?: GroupVersionResource;
  groupResource: GroupResource;
} {
  const parts = splitVersioned(text);
  return {
    groupVersionResource: parts && GroupVersionResource.of(parts.group, parts.version, parts.name),
    groupResource: GroupResource.parse(text),
  };
}

function splitAtDot(text: string): [before: string, after: string] {
  const dot = text.indexOf('.');
  return dot === -1 ? [text, ''] : [text.slice(0, dot), text.slice(dot + 1)];
}

function splitVersioned(text: string): { name: string; version: string; group: string } | undefined {
  const [name, rest] = splitAtDot(text);
  if (!rest.includes('.')) return undefined;
  const [version, group] = splitAtDot(rest);
  return { name, version, group };
}
