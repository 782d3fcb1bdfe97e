import { FieldSet } from './field-set.ts';
import { fieldElement, type PathElement } from './path-element.ts';

/** Reduces a set to the fields that a write through a resource or subresource can change. */
export type FieldSetFilter = (set: FieldSet) => FieldSet;

/** Returns a filter that drops these paths and all paths below them. Used for fields that a strategy resets (`status`, or all but it). */
export const excludeFields =
  (excluded: FieldSet): FieldSetFilter =>
  (set) =>
    set.recursiveDifference(excluded);

/** Stands for any path element in a pattern of `includeFields`. */
export const anyElement = Symbol('any path element');

export type PathPattern = readonly (string | typeof anyElement)[];

/**
 * Returns a filter that keeps the paths that match one of the patterns (field names or `anyElement`) and all paths below them. A member
 * on the way to such a path is kept too. Without patterns, everything is kept.
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
