import { STRING_TRAVERSAL_COST_FACTOR } from '../cost-estimate.ts';
import { celEquals } from '../equality.ts';
import type { FunctionDeclaration, Overload } from '../function-declaration.ts';
import { costSize, matchesType, runtimeType } from '../runtime-type.ts';
import type { CelType } from '../types.ts';
import { CelError, CelList, CelMap, type CelValue, OpaqueValue } from '../values.ts';
import { AsyncNeeded, type Frame, guard, HEAVY, type Result } from './frame.ts';
import { type Evaluation, PlanNode, runNode } from './plan-node.ts';

/** What a call does with its arguments. */
export interface Callee {
  readonly isAsync: boolean;
  /** May take long whatever its arguments look like. */
  readonly isHeavy: boolean;
  call(args: readonly CelValue[]): CelValue | Promise<CelValue>;
  /** Undefined for functions that cost 1. */
  readonly cost: ((args: readonly CelValue[], result: CelValue) => number) | undefined;
}

/** An operator that costs 1 and takes no time to speak of. */
export class OperatorNode extends PlanNode {
  private readonly left: PlanNode;
  private readonly right: PlanNode | undefined;
  private readonly operate: (a: CelValue, b: CelValue) => CelValue;

  constructor(left: PlanNode, right: PlanNode | undefined, operate: (a: CelValue, b: CelValue) => CelValue) {
    super(left.resumable || (right?.resumable ?? false));
    this.left = left;
    this.right = right;
    this.operate = operate;
  }

  evaluate(frame: Frame): Result {
    const left = this.left.evaluate(frame);
    return this.finish(frame, left, this.right === undefined ? null : this.right.evaluate(frame));
  }

  override *run(frame: Frame): Evaluation {
    const left = yield* runNode(this.left, frame);
    return this.finish(frame, left, this.right === undefined ? null : yield* runNode(this.right, frame));
  }

  private finish(frame: Frame, left: Result, right: Result): Result {
    frame.charge(1);
    if (left instanceof CelError) return left;
    if (right instanceof CelError) return right;
    try {
      return this.operate(left, right);
    } catch (error) {
      if (error instanceof CelError) return error;
      throw error;
    }
  }
}

/** Strings above this length make a call worth a look at the clock. */
const LONG_STRING = 256;

/** A call of a function or operator that wants all its arguments. */
export class CallNode extends PlanNode {
  private readonly args: readonly PlanNode[];
  private readonly callee: Callee;

  constructor(args: readonly PlanNode[], callee: Callee) {
    super(true);
    this.args = args;
    this.callee = callee;
  }

  evaluate(frame: Frame): Result {
    const values: Result[] = [];
    for (const arg of this.args) {
      const value = arg.evaluate(frame);
      values.push(value);
      if (this.stopsAt(value)) return value;
    }
    if (this.callee.isAsync) throw new AsyncNeeded();
    this.checkAffordable(frame, values);
    const result = this.call(values);
    if (result instanceof Promise) throw new AsyncNeeded();
    const charged = this.charged(frame, values, result);
    if (this.isHeavy(values)) frame.checkSlice(HEAVY);
    return charged;
  }

  override *run(frame: Frame): Evaluation {
    const values: Result[] = [];
    for (const arg of this.args) {
      const value = yield* runNode(arg, frame);
      values.push(value);
      if (this.stopsAt(value)) return value;
    }
    this.checkAffordable(frame, values);
    const pending = this.call(values);
    const result = pending instanceof Promise ? ((yield pending) ?? null) : pending;
    const charged = this.charged(frame, values, result);
    if (frame.isSliceOver(this.isHeavy(values) ? HEAVY : 1)) yield undefined;
    return charged;
  }

  /** With up to two arguments, all are evaluated (and paid for) even after an error. */
  private stopsAt(value: Result): boolean {
    return this.args.length > 2 && value instanceof CelError;
  }

  private call(values: readonly Result[]): Result | Promise<CelValue> {
    const args = withoutErrors(values);
    return args instanceof CelError ? args : guard(() => this.callee.call(args));
  }

  /** What costs more than is left does not even start. */
  private checkAffordable(frame: Frame, values: readonly Result[]): void {
    const { cost } = this.callee;
    if (cost !== undefined && values.some(isLarge)) frame.checkAffordable(cost(values.map(errorToNull), null));
  }

  private charged(frame: Frame, values: readonly Result[], result: Result): Result {
    const { cost } = this.callee;
    frame.charge(cost === undefined ? 1 : cost(values.map(errorToNull), errorToNull(result)));
    return result;
  }

  private isHeavy(values: readonly Result[]): boolean {
    return this.callee.isHeavy || values.some(isLarge);
  }
}

/** The values, or the first error among them. */
function withoutErrors(values: readonly Result[]): readonly CelValue[] | CelError {
  const args: CelValue[] = [];
  for (const value of values) {
    if (value instanceof CelError) return value;
    args.push(value);
  }
  return args;
}

/** Cost functions take errors for values of size 1. */
function errorToNull(value: Result): CelValue {
  return value instanceof CelError ? null : value;
}

function isLarge(value: Result): boolean {
  return typeof value === 'string' ? value.length > LONG_STRING : value instanceof CelList || value instanceof CelMap;
}

/** `==` and `!=`. */
export class EqualityNode extends PlanNode {
  private readonly left: PlanNode;
  private readonly right: PlanNode;
  private readonly wanted: boolean;

  constructor(left: PlanNode, right: PlanNode, wanted: boolean) {
    super(true);
    this.left = left;
    this.right = right;
    this.wanted = wanted;
  }

  evaluate(frame: Frame): Result {
    const left = this.left.evaluate(frame);
    const right = this.right.evaluate(frame);
    const result = this.compare(frame, left, right);
    if (isLarge(left)) frame.checkSlice(HEAVY);
    return result;
  }

  override *run(frame: Frame): Evaluation {
    const left = yield* runNode(this.left, frame);
    const right = yield* runNode(this.right, frame);
    const result = this.compare(frame, left, right);
    if (frame.isSliceOver(isLarge(left) ? HEAVY : 1)) yield undefined;
    return result;
  }

  private compare(frame: Frame, left: Result, right: Result): Result {
    const equal =
      left instanceof CelError ? left : right instanceof CelError ? right : guard(() => celEquals(left, right));
    frame.charge(this.cost(errorToNull(left), errorToNull(right)));
    return equal instanceof CelError ? equal : equal === this.wanted;
  }

  private cost(left: CelValue, right: CelValue): number {
    if (this.wanted && left instanceof OpaqueValue) return 1;
    if (typeof left !== 'object' && typeof left !== 'string') return 1;
    return Math.ceil(Math.min(costSize(left), costSize(right)) * STRING_TRAVERSAL_COST_FACTOR);
  }
}

/** `@not_strictly_false`: true for everything that is not false, errors included. */
export class NotStrictlyFalseNode extends PlanNode {
  private readonly arg: PlanNode;
  constructor(arg: PlanNode) {
    super(arg.resumable);
    this.arg = arg;
  }
  evaluate(frame: Frame): Result {
    const value = this.arg.evaluate(frame);
    frame.charge(1);
    return value !== false;
  }
  override *run(frame: Frame): Evaluation {
    const value = yield* runNode(this.arg, frame);
    frame.charge(1);
    return value !== false;
  }
}

/** `x in [a, b, c]` with constant scalars; costs nothing beyond `x`. */
export class ConstantMembershipNode extends PlanNode {
  private readonly arg: PlanNode;
  private readonly isMember: (value: CelValue) => boolean;
  constructor(arg: PlanNode, isMember: (value: CelValue) => boolean) {
    super(arg.resumable);
    this.arg = arg;
    this.isMember = isMember;
  }
  evaluate(frame: Frame): Result {
    return this.test(this.arg.evaluate(frame));
  }
  override *run(frame: Frame): Evaluation {
    return this.test(yield* runNode(this.arg, frame));
  }
  private test(value: Result): Result {
    return value instanceof CelError ? value : this.isMember(value);
  }
}

/** The implementation for the overloads that fit at check time; which one it is may depend on the values. */
export function implementation(
  declaration: FunctionDeclaration,
  candidates: readonly Overload[],
  argTypes: readonly CelType[],
): (args: readonly CelValue[]) => CelValue | Promise<CelValue> {
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
