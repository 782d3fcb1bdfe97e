import { LIST_CREATE_BASE_COST, MAP_CREATE_BASE_COST, STRUCT_CREATE_BASE_COST } from '../checking/cost-estimate.ts';
import { EntryMap, formatKey } from '../values/collections.ts';
import type { CelType } from '../values/types.ts';
import { ArrayList, CelError, type CelValue, Optional } from '../values/values.ts';
import { type Frame, guard, type Result } from './frame.ts';

/** A resumable evaluation. It yields a promise to receive its value, or undefined to let the event loop run. */
export type Evaluation = Generator<Promise<CelValue> | undefined, Result, Result | undefined>;

/** A node of a planned expression, which can be evaluated any number of times. */
export abstract class PlanNode {
  /** Whether `run` may yield. Other nodes are evaluated by `evaluate` in both modes. */
  readonly resumable: boolean;

  constructor(resumable: boolean) {
    this.resumable = resumable;
  }

  /** Evaluates synchronously. Throws SliceExceeded if it takes too long. */
  abstract evaluate(frame: Frame): Result;

  /** Evaluates in slices, with the same result and cost. */
  // biome-ignore lint/correctness/useYield: nodes that are not resumable do not yield.
  *run(frame: Frame): Evaluation {
    return this.evaluate(frame);
  }
}

/** Evaluates a node in resumable mode. */
export function* runNode(node: PlanNode, frame: Frame): Evaluation {
  return node.resumable ? yield* node.run(frame) : node.evaluate(frame);
}

export class ConstNode extends PlanNode {
  readonly value: CelValue;
  constructor(value: CelValue) {
    super(false);
    this.value = value;
  }
  evaluate(): CelValue {
    return this.value;
  }
}

/** `&&` and `||`: the deciding value wins over errors on either side. */
export class LogicalNode extends PlanNode {
  readonly #left: PlanNode;
  readonly #right: PlanNode;
  /** The value that decides: false for `&&`, true for `||`. */
  readonly #deciding: boolean;

  constructor(left: PlanNode, right: PlanNode, deciding: boolean) {
    super(left.resumable || right.resumable);
    this.#left = left;
    this.#right = right;
    this.#deciding = deciding;
  }

  evaluate(frame: Frame): Result {
    const left = this.#left.evaluate(frame);
    return left === this.#deciding ? left : this.#combine(left, this.#right.evaluate(frame));
  }

  override *run(frame: Frame): Evaluation {
    const left = yield* runNode(this.#left, frame);
    return left === this.#deciding ? left : this.#combine(left, yield* runNode(this.#right, frame));
  }

  #combine(left: Result, right: Result): Result {
    if (right === this.#deciding) return right;
    if (typeof left !== 'boolean') return left instanceof CelError ? left : new CelError('no such overload');
    if (typeof right !== 'boolean') return right instanceof CelError ? right : new CelError('no such overload');
    return !this.#deciding;
  }
}

/** `or` and `orValue` of optionals: the right side is evaluated only if there is no value. */
export class OptionalOrNode extends PlanNode {
  readonly #left: PlanNode;
  readonly #right: PlanNode;
  readonly #unwraps: boolean;

  constructor(left: PlanNode, right: PlanNode, unwraps: boolean) {
    super(left.resumable || right.resumable);
    this.#left = left;
    this.#right = right;
    this.#unwraps = unwraps;
  }

  evaluate(frame: Frame): Result {
    return this.#present(this.#left.evaluate(frame)) ?? this.#right.evaluate(frame);
  }

  override *run(frame: Frame): Evaluation {
    return this.#present(yield* runNode(this.#left, frame)) ?? (yield* runNode(this.#right, frame));
  }

  #present(left: Result): Result | undefined {
    if (!(left instanceof Optional)) return left;
    if (left.value === undefined) return undefined;
    return this.#unwraps ? left.value : left;
  }
}

/** How a list, map or message literal is built from its values. */
interface Shape {
  readonly cost: number;
  build(values: readonly CelValue[]): CelValue;
}

/** A literal with values that are not constant. If values fail, the first error is the result. */
export class ConstructorNode extends PlanNode {
  readonly #parts: readonly PlanNode[];
  readonly #shape: Shape;

  constructor(parts: readonly PlanNode[], shape: Shape) {
    super(parts.some((part) => part.resumable));
    this.#parts = parts;
    this.#shape = shape;
  }

  evaluate(frame: Frame): Result {
    const values: CelValue[] = [];
    for (const part of this.#parts) {
      const value = part.evaluate(frame);
      if (value instanceof CelError) return this.#finish(frame, value);
      values.push(value);
    }
    return this.#finish(frame, values);
  }

  override *run(frame: Frame): Evaluation {
    const values: CelValue[] = [];
    for (const part of this.#parts) {
      const value = yield* runNode(part, frame);
      if (value instanceof CelError) return this.#finish(frame, value);
      values.push(value);
    }
    return this.#finish(frame, values);
  }

  #finish(frame: Frame, values: readonly CelValue[] | CelError): Result {
    frame.charge(this.#shape.cost);
    return values instanceof CelError ? values : guard(() => this.#shape.build(values));
  }
}

export function listConstructor(optional: ReadonlySet<number>): Shape {
  const build = (values: readonly CelValue[]) => {
    if (optional.size === 0) return new ArrayList(values);
    const items: CelValue[] = [];
    values.forEach((value, i) => {
      if (!optional.has(i)) items.push(value);
      else if (!(value instanceof Optional)) {
        throw new CelError(`cannot initialize optional list element from non-optional value ${formatKey(value)}`);
      } else if (value.value !== undefined) items.push(value.value);
    });
    return new ArrayList(items);
  };
  return { cost: LIST_CREATE_BASE_COST, build };
}

/** Returns the value for an entry, or undefined to omit it. */
function entryValue(name: string, value: CelValue, isOptional: boolean): CelValue | undefined {
  if (!isOptional) return value;
  if (value instanceof Optional) return value.value;
  throw new CelError(`cannot initialize optional entry '${name}' from non-optional value ${formatKey(value)}`);
}

/** Values come as key, value, key, value… */
export function mapConstructor(optional: readonly boolean[]): Shape {
  const build = (values: readonly CelValue[]) => {
    const entries = new Map<CelValue, CelValue>();
    optional.forEach((isOptional, i) => {
      const key = values[2 * i] ?? null;
      const value = entryValue(formatKey(key), values[2 * i + 1] ?? null, isOptional);
      if (value !== undefined) entries.set(key, value);
    });
    return new EntryMap(entries);
  };
  return { cost: MAP_CREATE_BASE_COST, build };
}

export function structConstructor(
  type: CelType,
  fields: readonly { readonly name: string; readonly optional: boolean }[],
): Shape {
  const build = (values: readonly CelValue[]) => {
    const entries = new Map<string, CelValue>();
    fields.forEach(({ name, optional }, i) => {
      const value = entryValue(name, values[i] ?? null, optional);
      if (value !== undefined) entries.set(name, value);
    });
    if (type.fields?.construct === undefined) throw new CelError(`unknown type: ${type.name}`);
    return type.fields.construct(entries);
  };
  return { cost: STRUCT_CREATE_BASE_COST, build };
}
