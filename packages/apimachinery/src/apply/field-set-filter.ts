import { FieldSet } from './field-set.ts';
import { fieldElement, type PathElement } from './path-element.ts';

/** Keeps the part of a set that a write through some resource or subresource can change. */
export type FieldSetFilter = (set: FieldSet) => FieldSet;

/** Drops these places and all below them: what a strategy resets anyway (`status`, or all but it). */
export const excludeFields =
  (excluded: FieldSet): FieldSetFilter =>
  (set) =>
    set.recursiveDifference(excluded);

/** Stands for any path element in a pattern of `includeFields`. */
export const anyElement = Symbol('any path element');

export type PathPattern = readonly (string | typeof anyElement)[];

/**
 * Keeps what matches one of the patterns up to its end: field names, or `anyElement`.
 * A place that only leads there is kept when it is a member.
 */
export function includeFields(...patterns: readonly PathPattern[]): FieldSetFilter {
  const elements = patterns.map((pattern) =>
    pattern.map((part): PathElement | typeof anyElement => (part === anyElement ? part : fieldElement(part))),
  );
  return (set) => (elements.length === 0 ? set : included(set, elements));
}

function included(set: FieldSet, patterns: readonly (readonly (PathElement | typeof anyElement)[])[]): FieldSet {
  if (patterns.some((pattern) => pattern.length === 0)) return set;
  return set.mapChildren((element, child) => {
    const matching = patterns.filter(([first]) => first === anyElement || first === element);
    if (matching.length === 0) return FieldSet.empty;
    return included(
      child,
      matching.map((pattern) => pattern.slice(1)),
    );
  });
}
