import { STRING_TRAVERSAL_COST_FACTOR } from '../checking/cost-estimate.ts';
import type { FunctionDeclaration, Overload } from '../checking/function-declaration.ts';
import { Work } from '../steps/steps.ts';
import { celEquals, equalsInSteps } from '../values/equality.ts';
import { costSize, matchesType, runtimeType } from '../values/runtime-type.ts';
import type { CelType } from '../values/types.ts';
import { CelError, CelList, CelMap, type CelValue, OpaqueValue, Optional } from '../values/values.ts';
import { AsyncNeeded, type Frame, guard, HEAVY, type Result } from './frame.ts';
import { type Evaluation, PlanNode, runNode } from './plan-node.ts';

/** The function of a call. */
export interface Callee {
  readonly isAsync: boolean;
  /** Can take long for any arguments. */
  readonly isHeavy: boolean;
  call(args: readonly CelValue[]): CelValue | Work<CelValue> | Promise<CelValue>;
  /** Undefined for functions that cost 1. */
  readonly cost: ((args: readonly CelValue[], result: CelValue) => number | Work<number>) | undefined;
  /** The cost is known only after the call. */
  readonly costDependsOnResult: boolean;
}

type Operation = (a: CelValue, b: CelValue) => CelValue | Work<CelValue>;

/** An operator that costs 1. */
export class OperatorNode extends PlanNode {
  readonly #left: PlanNode;
  readonly #right: PlanNode | undefined;
  readonly #operate: Operation;

  /** `mayTakeLong` is false for operations that never return Work. */
  constructor(left: PlanNode, right: PlanNode | undefined, operate: Operation, mayTakeLong: boolean) {
    super(mayTakeLong || left.resumable || (right?.resumable ?? false));
    this.#left = left;
    this.#right = right;
    this.#operate = operate;
  }

  evaluate(frame: Frame): Result {
    const left = this.#left.evaluate(frame);
    const result = this.#start(frame, left, this.#right === undefined ? null : this.#right.evaluate(frame));
    return result instanceof Work
      ? made(
          frame,
          guard(() => frame.complete(result)),
        )
      : result;
  }

  override *run(frame: Frame): Evaluation {
    const left = yield* runNode(this.#left, frame);
    const result = this.#start(frame, left, this.#right === undefined ? null : yield* runNode(this.#right, frame));
    return result instanceof Work ? made(frame, yield* slices(frame, result)) : result;
  }

  #start(frame: Frame, left: Result, right: Result): Result | Work<CelValue> {
    frame.charge(1);
    if (left instanceof CelError) return left;
    if (right instanceof CelError) return right;
    try {
      const result = this.#operate(left, right);
      return typeof result === 'string' && result.length > LONG_STRING ? made(frame, result) : result;
    } catch (error) {
      if (error instanceof CelError) return error;
      throw error;
    }
  }
}

/** Completes an operation in slices. Returns the CelError that it throws. */
function* slices<T>(frame: Frame, work: Work<T>): Generator<undefined, T | CelError, Result | undefined> {
  try {
    return yield* frame.inSlices(work);
  } catch (error) {
    if (error instanceof CelError) return error;
    throw error;
  }
}

function made(frame: Frame, result: Result): Result {
  frame.made(result);
  return result;
}

/** The string length above which a call checks the clock. */
const LONG_STRING = 256;

/** A call of a function or operator that evaluates all its arguments. */
export class CallNode extends PlanNode {
  readonly #args: readonly PlanNode[];
  readonly #callee: Callee;

  constructor(args: readonly PlanNode[], callee: Callee) {
    super(true);
    this.#args = args;
    this.#callee = callee;
  }

  evaluate(frame: Frame): Result {
    const values: Result[] = [];
    for (const arg of this.#args) {
      const value = arg.evaluate(frame);
      values.push(value);
      if (this.#stopsAt(value)) return value;
    }
    if (this.#callee.isAsync) throw new AsyncNeeded();
    const isLarge = values.some(isLargeValue);
    let cost = this.#costBefore(values, isLarge);
    if (cost instanceof Work) cost = frame.complete(cost);
    if (cost !== undefined) frame.checkAffordable(cost);
    let result = this.#call(values);
    if (result instanceof Promise) throw new AsyncNeeded();
    if (result instanceof Work) {
      const work = result;
      result = made(
        frame,
        guard(() => frame.complete(work)),
      );
    }
    cost ??= this.#cost(values, result);
    frame.charge(cost instanceof Work ? frame.complete(cost) : cost);
    if (isLarge || this.#callee.isHeavy) frame.checkSlice(HEAVY);
    return result;
  }

  override *run(frame: Frame): Evaluation {
    const values: Result[] = [];
    for (const arg of this.#args) {
      const value = yield* runNode(arg, frame);
      values.push(value);
      if (this.#stopsAt(value)) return value;
    }
    const isLarge = values.some(isLargeValue);
    let cost = this.#costBefore(values, isLarge);
    if (cost instanceof Work) cost = yield* frame.inSlices(cost);
    if (cost !== undefined) {
      frame.checkAffordable(cost);
      if (frame.isSliceOver(HEAVY)) yield undefined;
    }
    let result = this.#call(values);
    if (result instanceof Promise) result = (yield result) ?? null;
    else if (result instanceof Work) result = made(frame, yield* slices(frame, result));
    cost ??= this.#cost(values, result);
    frame.charge(cost instanceof Work ? yield* frame.inSlices(cost) : cost);
    if (frame.isSliceOver(isLarge || this.#callee.isHeavy ? HEAVY : 1)) yield undefined;
    return result;
  }

  /** With up to two arguments, all are evaluated and counted even after an error. */
  #stopsAt(value: Result): boolean {
    return this.#args.length > 2 && value instanceof CelError;
  }

  #call(values: readonly Result[]): Result | Work<CelValue> | Promise<CelValue> {
    const args = withoutErrors(values);
    return args instanceof CelError ? args : guard(() => this.#callee.call(args));
  }

  /** For large arguments, returns the cost if it is known before the call: a call that costs more than is left is not started. */
  #costBefore(values: readonly Result[], isLarge: boolean): number | Work<number> | undefined {
    return isLarge && !this.#callee.costDependsOnResult ? this.#cost(values, null) : undefined;
  }

  #cost(values: readonly Result[], result: Result): number | Work<number> {
    const { cost } = this.#callee;
    return cost === undefined ? 1 : cost(values.map(errorToNull), errorToNull(result));
  }
}

/** Returns the values, or the first error among them. */
function withoutErrors(values: readonly Result[]): readonly CelValue[] | CelError {
  const args: CelValue[] = [];
  for (const value of values) {
    if (value instanceof CelError) return value;
    args.push(value);
  }
  return args;
}

/** Replaces errors by null, because cost functions treat them as values of size 1. */
function errorToNull(value: Result): CelValue {
  return value instanceof CelError ? null : value;
}

function isLargeValue(value: Result): boolean {
  return typeof value === 'string' ? value.length > LONG_STRING : value instanceof CelList || value instanceof CelMap;
}

/** `==` and `!=`. */
export class EqualityNode extends PlanNode {
  readonly #left: PlanNode;
  readonly #right: PlanNode;
  readonly #wanted: boolean;

  constructor(left: PlanNode, right: PlanNode, wanted: boolean) {
    super(true);
    this.#left = left;
    this.#right = right;
    this.#wanted = wanted;
  }

  evaluate(frame: Frame): Result {
    const left = this.#left.evaluate(frame);
    const right = this.#right.evaluate(frame);
    let equal = this.#compare(left, right);
    if (equal instanceof Work) {
      const work = equal;
      equal = guard(() => frame.complete(work));
    }
    const result = this.#charged(frame, left, right, equal);
    if (isLargeValue(left)) frame.checkSlice(HEAVY);
    return result;
  }

  override *run(frame: Frame): Evaluation {
    const left = yield* runNode(this.#left, frame);
    const right = yield* runNode(this.#right, frame);
    const equal = this.#compare(left, right);
    const result = this.#charged(frame, left, right, equal instanceof Work ? yield* slices(frame, equal) : equal);
    if (frame.isSliceOver(isLargeValue(left) ? HEAVY : 1)) yield undefined;
    return result;
  }

  #compare(left: Result, right: Result): boolean | CelError | Work<boolean> {
    if (left instanceof CelError) return left;
    if (right instanceof CelError) return right;
    if (left instanceof CelList || left instanceof CelMap || left instanceof Optional)
      return new Work(equalsInSteps(left, right));
    return guard(() => celEquals(left, right));
  }

  #charged(frame: Frame, left: Result, right: Result, equal: boolean | CelError): Result {
    frame.charge(this.#cost(errorToNull(left), errorToNull(right)));
    return equal instanceof CelError ? equal : equal === this.#wanted;
  }

  #cost(left: CelValue, right: CelValue): number {
    if (this.#wanted && left instanceof OpaqueValue) return 1;
    if (typeof left !== 'object' && typeof left !== 'string') return 1;
    return Math.ceil(Math.min(costSize(left), costSize(right)) * STRING_TRAVERSAL_COST_FACTOR);
  }
}

/** `@not_strictly_false`: true for everything that is not false, errors included. */
export class NotStrictlyFalseNode extends PlanNode {
  readonly #arg: PlanNode;
  constructor(arg: PlanNode) {
    super(arg.resumable);
    this.#arg = arg;
  }
  evaluate(frame: Frame): Result {
    const value = this.#arg.evaluate(frame);
    frame.charge(1);
    return value !== false;
  }
  override *run(frame: Frame): Evaluation {
    const value = yield* runNode(this.#arg, frame);
    frame.charge(1);
    return value !== false;
  }
}

/** `x in [a, b, c]` with constant scalars. Costs nothing besides `x`. */
export class ConstantMembershipNode extends PlanNode {
  readonly #arg: PlanNode;
  readonly #isMember: (value: CelValue) => boolean;
  constructor(arg: PlanNode, isMember: (value: CelValue) => boolean) {
    super(arg.resumable);
    this.#arg = arg;
    this.#isMember = isMember;
  }
  evaluate(frame: Frame): Result {
    return this.#test(this.#arg.evaluate(frame));
  }
  override *run(frame: Frame): Evaluation {
    return this.#test(yield* runNode(this.#arg, frame));
  }
  #test(value: Result): Result {
    return value instanceof CelError ? value : this.#isMember(value);
  }
}

/** Returns the implementation for the candidate overloads of the type check. The values may decide between them. */
export function implementation(
  declaration: FunctionDeclaration,
  candidates: readonly Overload[],
  argTypes: readonly CelType[],
): Callee['call'] {
  const { dispatch } = declaration;
  if (dispatch !== undefined) return (args) => dispatch(...args);
  const [only] = candidates;
  if (candidates.length === 1 && only !== undefined) {
    if (argTypes.every(isDefinite)) return (args) => only.call(...args);
    return (args) => (fits(only, args) ? only.call(...args) : noSuchOverload(declaration.name, args));
  }
  const isMember = only?.isMember ?? false;
  const overloads = declaration.overloads.filter((overload) => overload.isMember === isMember);
  return (args) => {
    const found = overloads.find((overload) => fits(overload, args));
    return found === undefined ? noSuchOverload(declaration.name, args) : found.call(...args);
  };
}

function isDefinite(type: CelType): boolean {
  return type.kind !== 'dyn' && type.kind !== 'error' && type.kind !== 'typeParam' && type.parameters.every(isDefinite);
}

function fits(overload: Overload, args: readonly CelValue[]): boolean {
  if (overload.parameters.length !== args.length) return false;
  return overload.parameters.every((parameter, i) => matchesType(args[i] ?? null, parameter));
}

function noSuchOverload(name: string, args: readonly CelValue[]): never {
  throw new CelError(`no such overload: ${name}(${args.map((arg) => runtimeType(arg).name).join(', ')})`);
}
