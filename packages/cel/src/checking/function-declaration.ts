import type { Work } from '../steps/steps.ts';
import type { MacroDeclaration } from '../syntax/macro.ts';
import type { CelType, ValueOf } from '../values/types.ts';
import type { CelValue } from '../values/values.ts';
import type { CallEstimate, CallSite, CostEstimate, CostNode } from './cost-estimate.ts';

/** The cost of a call, without its arguments. Missing functions mean the default cost of 1. */
export interface CallCost {
  /** At compile time. */
  estimate?(call: CallSite): CallEstimate | undefined;
  /** At run time; for a member call, `args[0]` is the target. */
  actual?(args: readonly CelValue[], result: CelValue): number | Work<number> | undefined;
  /** `actual` uses the result, so the cost is not known before the call. */
  readonly dependsOnResult?: boolean;
  /** `actual` applies only to calls that the checker has resolved to this overload. */
  readonly needsOverload?: boolean;
}

interface OverloadSignature {
  /** Unique within an environment, e.g. `string_index_of_string`. */
  readonly id: string;
  /** Called as `target.name(…)`; the target is the first parameter. */
  readonly isMember: boolean;
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  readonly cost?: CallCost;
}

/** One signature of a function. Arguments passed to `call` match `parameters`. */
export interface Overload extends OverloadSignature {
  /**
   * The implementation; throws CelError. It returns Work if it can take longer than a few milliseconds with some
   * arguments, or create more than its cost says. An asynchronous one can be called only by `evaluateAsync`.
   */
  readonly call: (...args: CelValue[]) => CelValue | Work<CelValue> | Promise<CelValue>;
  /** `call` returns a promise. */
  readonly isAsync: boolean;
}

/** A function and its overloads. The name may be qualified: `ip.isCanonical`, `format.named`. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** One implementation for all overloads, which checks the values itself. Replaces their `call`. */
  readonly dispatch?: (...args: CelValue[]) => CelValue | Work<CelValue>;
}

/** An identifier with a fixed value. */
interface ConstantDeclaration {
  readonly name: string;
  readonly type: CelType;
  readonly value: CelValue;
}

/** A set of declarations for environments. Further declarations of a function add overloads to earlier ones. */
export interface Library {
  readonly name: string;
  readonly functions?: readonly FunctionDeclaration[];
  readonly macros?: readonly MacroDeclaration[];
  readonly constants?: readonly ConstantDeclaration[];
  /** Named types that expressions can use as values (`type(x) == net.IP`). */
  readonly types?: readonly CelType[];
  /** The estimated cost of `lhs == rhs` where both have `type`, a type of this library; undefined for the general rule. */
  estimateEquality?(type: CelType, lhs: CostNode, rhs: CostNode): CostEstimate | undefined;
}

type Values<P extends readonly CelType[]> = { [I in keyof P]: ValueOf<P[I]> };

interface OverloadSpec<P extends readonly CelType[], R> extends OverloadSignature {
  readonly parameters: readonly [...P];
  readonly call: (...args: Values<P>) => R;
}

/** Declares an overload whose implementation is checked against its parameter types. */
export function overload<const P extends readonly CelType[]>(
  spec: OverloadSpec<P, CelValue | Work<CelValue>>,
): Overload {
  return { ...spec, call: untyped(spec.call), isAsync: false };
}

/** Declares an overload that returns a promise. */
export function asyncOverload<const P extends readonly CelType[]>(spec: OverloadSpec<P, Promise<CelValue>>): Overload {
  return { ...spec, call: untyped(spec.call), isAsync: true };
}

/**
 * Removes the types: the checker and the dispatcher pass only arguments that match the parameters, which the TypeScript
 * compiler cannot verify.
 */
function untyped<A extends readonly unknown[], R>(call: (...args: A) => R): (...args: CelValue[]) => R {
  return call as unknown as (...args: CelValue[]) => R;
}
