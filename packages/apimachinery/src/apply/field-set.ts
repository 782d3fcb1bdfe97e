import { isJsonObject, JsonDepthError, MAX_JSON_DEPTH } from '../json/index.ts';
import type { FieldsV1 } from '../meta/index.ts';
import { comparePathElements, type FieldPath, type PathElement, parsePathElement, printPath } from './path-element.ts';

const none: ReadonlyMap<PathElement, FieldSet> = new Map();

/**
 * A set of field paths, as a tree. Immutable; an operation that changes nothing returns its operand, so identity tells whether anything
 * changed.
 *
 * A node's path is in the set when the node is a `member`; its children are the paths below it. Every child is a member or has one below
 * it: no branch is empty. The root stands for the object itself and is never a member.
 */
export class FieldSet {
  // `new this`, not `new FieldSet`: compiled code replaces the class name with an alias that is not assigned yet when these are created.
  static readonly empty: FieldSet = new this(false, none);
  /** A member with nothing below it. */
  static readonly leaf: FieldSet = new this(true, none);

  readonly member: boolean;
  readonly children: ReadonlyMap<PathElement, FieldSet>;
  /** Cache of the node's fieldsV1. */
  #fieldsV1: FieldsV1 | undefined;
  /** Cache of the node that differs only in `member`. */
  #twin: FieldSet | undefined;

  private constructor(member: boolean, children: ReadonlyMap<PathElement, FieldSet>) {
    this.member = member;
    this.children = children;
  }

  /** Returns the node with these children. The map must not be modified afterwards. */
  static node(member: boolean, children: ReadonlyMap<PathElement, FieldSet> | undefined): FieldSet {
    if (children !== undefined && children.size > 0) return new FieldSet(member, children);
    return member ? FieldSet.leaf : FieldSet.empty;
  }

  /** Returns the set of exactly these paths, without the paths above or below them. */
  static of(...paths: readonly FieldPath[]): FieldSet {
    return paths.reduce((set: FieldSet, path) => set.union(FieldSet.#path(path)), FieldSet.empty);
  }

  static #path(path: FieldPath): FieldSet {
    if (path.length === 0) return FieldSet.empty;
    return path.reduceRight((set, element) => new FieldSet(false, new Map([[element, set]])), FieldSet.leaf);
  }

  /**
   * Decodes fieldsV1. The set refers to the parts of `fields` that are already canonical, so `fields` must not be modified afterwards.
   * Throws when a key is not a path element, or when it is nested too deeply.
   */
  static fromFieldsV1(fields: unknown): FieldSet {
    return FieldSet.#parse(fields, 0).withMember(false);
  }

  static #parse(fields: unknown, depth: number): FieldSet {
    if (depth > MAX_JSON_DEPTH) throw new JsonDepthError();
    if (fields === null || fields === undefined) return FieldSet.leaf;
    if (!isJsonObject(fields)) throw new Error('expected an object in fieldsV1');
    let member = false;
    let isCanonical = true;
    let previous: PathElement | undefined;
    const children = new Map<PathElement, FieldSet>();
    for (const key in fields) {
      const value = fields[key];
      const element = key === '.' ? undefined : parsePathElement(key);
      if (element === undefined) {
        isCanonical &&= key === '.' && previous === undefined && isEmptyObject(value);
        member ||= key === '.';
        continue;
      }
      const child = FieldSet.#parse(value, depth + 1);
      isCanonical &&= element === key && child.#isWrittenAs(value);
      isCanonical &&= previous === undefined || comparePathElements(previous, element) < 0;
      previous = element;
      // The same element spelled in two ways. As upstream: the later one's children win, if it has any.
      const twin = children.get(element);
      const below = twin !== undefined && child.children.size === 0 ? twin.children : child.children;
      children.set(element, twin === undefined ? child : FieldSet.node(child.member || twin.member, below));
    }
    // There is no known element below, so the path itself is the member.
    if (children.size === 0) return FieldSet.leaf;
    const node = new FieldSet(member, children);
    if (isCanonical) node.#fieldsV1 = fields;
    return node;
  }

  #isWrittenAs(fields: unknown): boolean {
    return this === FieldSet.leaf ? isEmptyObject(fields) : this.#fieldsV1 === fields;
  }

  /** Returns the set as fieldsV1, sorted in upstream's order. The object is shared with other sets and must not be modified. */
  toFieldsV1(): FieldsV1 {
    if (this.#fieldsV1 !== undefined) return this.#fieldsV1;
    const fields: FieldsV1 = {};
    if (this.member && this.children.size > 0) fields['.'] = {};
    for (const element of sortedElements(this)) fields[element] = this.children.get(element)!.toFieldsV1();
    this.#fieldsV1 = fields;
    return fields;
  }

  withMember(member: boolean): FieldSet {
    if (member === this.member) return this;
    if (this.#twin === undefined) {
      this.#twin = FieldSet.node(member, this.children);
      // Nodes without children are shared constants: they get no reference back.
      if (this.children.size > 0) this.#twin.#twin = this;
    }
    return this.#twin;
  }

  isEmpty(): boolean {
    return !this.member && this.children.size === 0;
  }

  /** The number of paths in the set. */
  get size(): number {
    let size = Number(this.member);
    for (const child of this.children.values()) size += child.size;
    return size;
  }

  has(path: FieldPath): boolean {
    let node: FieldSet | undefined = this;
    for (const element of path) {
      node = node.children.get(element);
      if (node === undefined) return false;
    }
    return path.length > 0 && node.member;
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true;
    if (this.member !== other.member || this.children.size !== other.children.size) return false;
    for (const [element, child] of this.children) {
      const twin = other.children.get(element);
      if (twin === undefined || !child.equals(twin)) return false;
    }
    return true;
  }

  union(other: FieldSet): FieldSet {
    if (other === this || other.isEmpty()) return this;
    if (this.isEmpty()) return other;
    let children: Map<PathElement, FieldSet> | undefined;
    for (const [element, theirs] of other.children) {
      const ours = this.children.get(element);
      const both = ours === undefined ? theirs : ours.union(theirs);
      if (both === ours) continue;
      children ??= new Map(this.children);
      children.set(element, both);
    }
    const member = this.member || other.member;
    if (children === undefined) return this.withMember(member);
    return new FieldSet(member, children);
  }

  intersection(other: FieldSet): FieldSet {
    if (other === this) return this;
    return this.#filter(this.member && other.member, (element, child) => {
      const theirs = other.children.get(element);
      return theirs === undefined ? FieldSet.empty : child.intersection(theirs);
    });
  }

  /** Returns the paths that are not in `other`. Paths below a member of `other` stay. */
  difference(other: FieldSet): FieldSet {
    if (other.isEmpty()) return this;
    return this.#filter(this.member && !other.member, (element, child) => {
      const theirs = other.children.get(element);
      return theirs === undefined ? child : child.difference(theirs);
    });
  }

  /** Returns the paths that are neither in `other` nor below a member of `other`. */
  recursiveDifference(other: FieldSet): FieldSet {
    if (other.isEmpty()) return this;
    return this.#filter(this.member && !other.member, (element, child) => {
      const theirs = other.children.get(element);
      if (theirs === undefined) return child;
      return theirs.member ? FieldSet.empty : child.recursiveDifference(theirs);
    });
  }

  /** The members with no member below them. */
  leaves(): FieldSet {
    return this.#filter(this.member && this.children.size === 0, (_, child) => child.leaves());
  }

  /** Replaces each child by `change(child)`; an empty result removes the child. */
  #filter(member: boolean, change: (element: PathElement, child: FieldSet) => FieldSet): FieldSet {
    let children: Map<PathElement, FieldSet> | undefined;
    let unchanged = 0;
    for (const [element, child] of this.children) {
      const changed = change(element, child);
      if (children === undefined && changed === child) {
        unchanged++;
        continue;
      }
      children ??= this.#firstChildren(unchanged);
      if (!changed.isEmpty()) children.set(element, changed);
    }
    return children === undefined ? this.withMember(member) : FieldSet.node(member, children);
  }

  #firstChildren(count: number): Map<PathElement, FieldSet> {
    const children = new Map<PathElement, FieldSet>();
    for (const [element, child] of this.children) {
      if (children.size === count) break;
      children.set(element, child);
    }
    return children;
  }

  /** Returns the set with each child replaced by `change(child)`; an empty result removes the child. */
  mapChildren(change: (element: PathElement, child: FieldSet) => FieldSet): FieldSet {
    return this.#filter(this.member, change);
  }

  /** Yields every path in upstream's order: at each level first the members, then the paths below them. */
  *paths(prefix: FieldPath = []): Generator<FieldPath> {
    const elements = sortedElements(this);
    for (const element of elements) if (this.children.get(element)!.member) yield [...prefix, element];
    for (const element of elements) yield* this.children.get(element)!.paths([...prefix, element]);
  }

  /** One path per line, as in conflict messages. */
  toString(): string {
    return Array.from(this.paths(), printPath).join('\n');
  }
}

function sortedElements(set: FieldSet): PathElement[] {
  const elements = [...set.children.keys()];
  for (let i = 1; i < elements.length; i++)
    if (comparePathElements(elements[i - 1]!, elements[i]!) > 0) return elements.sort(comparePathElements);
  return elements;
}

const isEmptyObject = (value: unknown): boolean => isJsonObject(value) && Object.keys(value).length === 0;
