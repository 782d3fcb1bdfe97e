import {
  type GroupKind,
  GroupVersion,
  type GroupVersionKind,
  type GroupVersionResource,
} from '../meta/group-version.ts';
import { quote } from '../strconv/quote.ts';

/** Thrown when no resource has that name. */
export class NoResourceMatchError extends Error {
  override readonly name = 'NoResourceMatchError';
  readonly partialResource: GroupVersionResource;

  constructor(partialResource: GroupVersionResource) {
    super(`no matches for ${partialResource}`);
    this.partialResource = partialResource;
  }
}

/** Thrown when there is no such kind, or not in the versions searched. */
export class NoKindMatchError extends Error {
  override readonly name = 'NoKindMatchError';
  readonly groupKind: GroupKind;
  readonly searchedVersions: readonly string[];

  constructor(groupKind: GroupKind, searchedVersions: readonly string[]) {
    super(`no matches for kind ${quote(groupKind.kind)} in ${describeSearch(groupKind, searchedVersions)}`);
    this.groupKind = groupKind;
    this.searchedVersions = searchedVersions;
  }
}

function describeSearch({ group }: GroupKind, versions: readonly string[]): string {
  const searched = [...new Set(versions.map((version) => GroupVersion.of(group, version).toString()))].sort();
  if (searched.length === 0) return `group ${quote(group)}`;
  const quoted = searched.map(quote).join(' ');
  return searched.length === 1 ? `version ${quoted}` : `versions [${quoted}]`;
}

/** Thrown when several things match, and none of them is preferred. */
abstract class AmbiguousError extends Error {
  readonly matchingResources: readonly GroupVersionResource[];
  readonly matchingKinds: readonly GroupVersionKind[];

  constructor(partial: GroupVersionResource | GroupVersionKind, matching: Matching) {
    super(`${partial} ${describeMatches(matching)}`);
    this.matchingResources = matching.resources ?? [];
    this.matchingKinds = matching.kinds ?? [];
  }
}

/** Thrown when several resources, or their kinds, have that name. */
export class AmbiguousResourceError extends AmbiguousError {
  override readonly name = 'AmbiguousResourceError';
  readonly partialResource: GroupVersionResource;

  constructor(partialResource: GroupVersionResource, matching: Matching) {
    super(partialResource, matching);
    this.partialResource = partialResource;
  }
}

/** Thrown when there are several such kinds. */
export class AmbiguousKindError extends AmbiguousError {
  override readonly name = 'AmbiguousKindError';
  readonly partialKind: GroupVersionKind;

  constructor(partialKind: GroupVersionKind, matching: Matching) {
    super(partialKind, matching);
    this.partialKind = partialKind;
  }
}

export interface Matching {
  resources?: readonly GroupVersionResource[];
  kinds?: readonly GroupVersionKind[];
}

function describeMatches({ resources = [], kinds = [] }: Matching): string {
  const found = [
    ...(resources.length > 0 ? [`resources [${resources.join(' ')}]`] : []),
    ...(kinds.length > 0 ? [`kinds [${kinds.join(' ')}]`] : []),
  ];
  return `matches multiple ${found.join(' and ') || 'resources or kinds'}`;
}

export const isNoMatchError = (error: unknown): error is NoResourceMatchError | NoKindMatchError =>
  error instanceof NoResourceMatchError || error instanceof NoKindMatchError;

export const isAmbiguousError = (error: unknown): error is AmbiguousResourceError | AmbiguousKindError =>
  error instanceof AmbiguousResourceError || error instanceof AmbiguousKindError;
