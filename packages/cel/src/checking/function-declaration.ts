import type { Work } from '../steps/steps.ts';
import type { MacroDeclaration } from '../syntax/macro.ts';
import type { CelType, ValueOf } from '../values/types.ts';
import type { CelValue } from '../values/values.ts';
import type { CallEstimate, CallSite, CostEstimate, CostNode } from './cost-estimate.ts';

/** The cost of a call, not counting its arguments. What is left out has the default cost of 1. */
export interface CallCost {
  /** At compile time. */
  estimate?(call: CallSite): CallEstimate | undefined;
  /** At run time; for a member call, `args[0]` is the target. */
  actual?(args: readonly CelValue[], result: CelValue): number | Work<number> | undefined;
  /** `actual` looks at the result, so that nothing is known before the call. */
  readonly dependsOnResult?: boolean;
  /** `actual` holds only for calls of which the checker knows that it is this overload. */
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
   * The implementation; throws CelError. What can take longer than a few milliseconds with some arguments, or make more
   * than its cost says, returns Work. An asynchronous one may be called only by `evaluateAsync`.
   */
  readonly call: (...args: CelValue[]) => CelValue | Work<CelValue> | Promise<CelValue>;
  /** `call` returns a promise. */
  readonly isAsync: boolean;
}

/** A function and its overloads. The name may be qualified: `ip.isCanonical`, `format.named`. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** One implementation for all overloads, which looks at the values itself; takes the place of their `call`. */
  readonly dispatch?: (...args: CelValue[]) => CelValue | Work<CelValue>;
}

/** An identifier with a fixed value. */
interface ConstantDeclaration {
  readonly name: string;
  readonly type: CelType;
  readonly value: CelValue;
}

/** A set of declarations that an environment takes in. Later declarations of a function add overloads to earlier ones. */
export interface Library {
  readonly name: string;
  readonly functions?: readonly FunctionDeclaration[];
  readonly macros?: readonly MacroDeclaration[];
  readonly constants?: readonly ConstantDeclaration[];
  /** Named types that expressions can mention as a value (`type(x) == net.IP`). */
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

/** The checker and the dispatcher pass only arguments that match the parameters; the compiler cannot see that. */
function untyped<A extends readonly unknown[], R>(call: (...args: A) => R): (...args: CelValue[]) => R {
  return call as unknown as (...args: CelValue[]) => R;
}
