import type { CelType } from '../values/types.ts';
import type { CelValue } from '../values/values.ts';

/** A range of sizes or costs. Saturates at UNBOUNDED, which represents the largest uint64. */
export interface Range {
  readonly min: number;
  readonly max: number;
}
/** Number of characters, bytes, elements or entries. */
export type SizeEstimate = Range;
export type CostEstimate = Range;

/** 2^64: the estimate "no bound known". */
export const UNBOUNDED = 2 ** 64;
export const UNKNOWN_SIZE: SizeEstimate = { min: 0, max: UNBOUNDED };

export const STRING_TRAVERSAL_COST_FACTOR = 0.1;
export const REGEX_STRING_LENGTH_COST_FACTOR = 0.25;
export const LIST_CREATE_BASE_COST = 10;
export const MAP_CREATE_BASE_COST = 30;
export const STRUCT_CREATE_BASE_COST = 40;

/** An expression node as cost functions see it. */
export interface CostNode {
  /**
   * Variable, then field names, `@items`, `@keys`, `@values`, `@indices`; undefined if the node is not reachable from a
   * variable.
   */
  readonly path: readonly string[] | undefined;
  readonly type: CelType;
  /** The value of a literal. */
  readonly literal?: CelValue;
  /** The size known from the expression itself. */
  readonly computedSize: SizeEstimate | undefined;
}

/** Returns the size of a node's value, as a schema guarantees it; undefined if unknown. */
export type SizeEstimator = (node: CostNode) => SizeEstimate | undefined;

/** The cost of a call without its arguments, and the size of its result if it has one. */
export interface CallEstimate {
  readonly cost: CostEstimate;
  readonly resultSize?: SizeEstimate;
}

/** A call whose cost is to be estimated. Member calls have a target; `args` are the other arguments. */
export interface CallSite {
  readonly target: CostNode | undefined;
  readonly args: readonly CostNode[];
  /** The computed size, else the estimator's, else unknown. */
  sizeOf(node: CostNode): SizeEstimate;
  /** A node for the elements of a list (`…@items`), or undefined if its type has no parameter. */
  elementOf(list: CostNode): CostNode | undefined;
}

function saturate(n: number): number {
  return n >= UNBOUNDED ? UNBOUNDED : n;
}

export function fixed(n: number): Range {
  return { min: n, max: n };
}

export function add(a: Range, b: Range): Range {
  return { min: saturate(a.min + b.min), max: saturate(a.max + b.max) };
}

export function multiply(a: Range, b: Range): Range {
  return { min: saturate(a.min * b.min), max: saturate(a.max * b.max) };
}

/** Multiplies by the factor and rounds up. */
export function multiplyByFactor(a: Range, factor: number): Range {
  return { min: saturate(Math.ceil(a.min * factor)), max: saturate(Math.ceil(a.max * factor)) };
}

export function union(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
