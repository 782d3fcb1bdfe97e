import { formatKey } from '../values/collections.ts';
import { runtimeType } from '../values/runtime-type.ts';
import { CelError, CelList, CelMap, type CelValue, Optional, Uint } from '../values/values.ts';
import { type Frame, guard, type Result } from './frame.ts';
import { type Evaluation, PlanNode, runNode } from './plan-node.ts';

/** The start of an attribute. */
export interface AttributeRoot {
  readonly resumable: boolean;
  /** A conditional itself costs nothing. */
  readonly isConditional: boolean;
  resolve(frame: Frame): Result;
  runResolve(frame: Frame): Evaluation;
}

/** A variable of the environment. */
export class VariableRoot implements AttributeRoot {
  readonly resumable = false;
  readonly isConditional = false;
  readonly #index: number;
  constructor(index: number) {
    this.#index = index;
  }
  resolve(frame: Frame): Result {
    return frame.variable(this.#index);
  }
  // biome-ignore lint/correctness/useYield: there is nothing to wait for.
  *runResolve(frame: Frame): Evaluation {
    return frame.variable(this.#index);
  }
}

/** A comprehension variable. An accumulator is evaluated on first use. */
export class LocalRoot implements AttributeRoot {
  readonly resumable: boolean;
  readonly isConditional = false;
  readonly #slot: number;
  readonly #init: PlanNode | undefined;
  readonly #fresh: (value: Result) => Result;

  constructor(slot: number, init?: PlanNode, fresh: (value: Result) => Result = (value) => value) {
    this.#slot = slot;
    this.#init = init;
    this.#fresh = fresh;
    this.resumable = init?.resumable ?? false;
  }

  resolve(frame: Frame): Result {
    const known = frame.locals[this.#slot];
    if (known !== undefined) return known;
    const value = this.#fresh(this.#init?.evaluate(frame) ?? null);
    frame.locals[this.#slot] = value;
    return value;
  }

  *runResolve(frame: Frame): Evaluation {
    const known = frame.locals[this.#slot];
    if (known !== undefined || this.#init === undefined) return known ?? null;
    const value = this.#fresh(yield* runNode(this.#init, frame));
    frame.locals[this.#slot] = value;
    return value;
  }
}

/** The result of any other expression. */
export class RelativeRoot implements AttributeRoot {
  readonly resumable: boolean;
  readonly isConditional = false;
  readonly #node: PlanNode;
  constructor(node: PlanNode) {
    this.#node = node;
    this.resumable = node.resumable;
  }
  resolve(frame: Frame): Result {
    return this.#node.evaluate(frame);
  }
  runResolve(frame: Frame): Evaluation {
    return runNode(this.#node, frame);
  }
}

/** `c ? a : b`. A branch that is an attribute costs only its qualifiers, as upstream. */
export class ConditionalRoot implements AttributeRoot {
  readonly resumable: boolean;
  readonly isConditional = true;
  readonly #condition: PlanNode;
  readonly #truthy: PlanNode;
  readonly #falsy: PlanNode;

  constructor(condition: PlanNode, truthy: PlanNode, falsy: PlanNode) {
    this.#condition = condition;
    this.#truthy = truthy;
    this.#falsy = falsy;
    this.resumable = condition.resumable || truthy.resumable || falsy.resumable;
  }

  resolve(frame: Frame): Result {
    const branch = this.#branch(this.#condition.evaluate(frame));
    if (branch instanceof CelError) return branch;
    return branch instanceof AttributeNode ? branch.resolve(frame) : branch.evaluate(frame);
  }

  *runResolve(frame: Frame): Evaluation {
    const branch = this.#branch(yield* runNode(this.#condition, frame));
    if (branch instanceof CelError) return branch;
    return branch instanceof AttributeNode ? yield* branch.runResolve(frame) : yield* runNode(branch, frame);
  }

  #branch(condition: Result): PlanNode | CelError {
    if (typeof condition === 'boolean') return condition ? this.#truthy : this.#falsy;
    return condition instanceof CelError ? condition : new CelError('no such overload');
  }
}

/** A field or index. The key is constant or the result of a node. */
export interface Qualifier {
  readonly key: CelValue | undefined;
  readonly node: PlanNode | undefined;
  readonly optional: boolean;
}

/** A variable or value with the fields and indices that follow it. */
export class AttributeNode extends PlanNode {
  readonly root: AttributeRoot;
  readonly qualifiers: readonly Qualifier[];
  /** The last qualifier is a presence test: `has(a.b)`. */
  readonly isPresenceTest: boolean;

  constructor(root: AttributeRoot, qualifiers: readonly Qualifier[] = [], isPresenceTest = false) {
    super(root.resumable || qualifiers.some(({ node }) => node?.resumable ?? false));
    this.root = root;
    this.qualifiers = qualifiers;
    this.isPresenceTest = isPresenceTest;
  }

  evaluate(frame: Frame): Result {
    return this.#charged(frame, this.resolve(frame));
  }

  override *run(frame: Frame): Evaluation {
    return this.#charged(frame, yield* this.runResolve(frame));
  }

  #charged(frame: Frame, result: Result): Result {
    frame.charge((this.root.isConditional ? 0 : 1) - (this.isPresenceTest ? 1 : 0));
    return result;
  }

  /** Evaluates without the cost of the attribute itself. */
  resolve(frame: Frame): Result {
    const start = this.root.resolve(frame);
    if (this.qualifiers.length === 0 || start instanceof CelError) return start;
    const path = new Path(frame, start, this);
    for (const qualifier of this.qualifiers) {
      if (path.result !== undefined) break;
      path.step(qualifier, qualifier.node === undefined ? (qualifier.key ?? null) : keyOf(qualifier.node, frame));
    }
    return path.finish();
  }

  *runResolve(frame: Frame): Evaluation {
    const start = yield* this.root.runResolve(frame);
    if (this.qualifiers.length === 0 || start instanceof CelError) return start;
    const path = new Path(frame, start, this);
    for (const qualifier of this.qualifiers) {
      if (path.result !== undefined) break;
      const { node } = qualifier;
      let key: Result = qualifier.key ?? null;
      if (node instanceof AttributeNode) key = yield* node.runResolve(frame);
      else if (node !== undefined) key = yield* runNode(node, frame);
      path.step(qualifier, key);
    }
    return path.finish();
  }
}

/** Evaluates a key. A key that is an attribute does not cost anything itself. */
function keyOf(node: PlanNode, frame: Frame): Result {
  return node instanceof AttributeNode ? node.resolve(frame) : node.evaluate(frame);
}

/** Resolves the qualifiers of an attribute one by one. */
class Path {
  readonly #frame: Frame;
  readonly #attribute: AttributeNode;
  #object: CelValue;
  #isOptional = false;
  #done = 0;
  /** Set when the result is known before the last qualifier. */
  result: Result | undefined;

  constructor(frame: Frame, start: CelValue, attribute: AttributeNode) {
    this.#frame = frame;
    this.#attribute = attribute;
    this.#object = start;
    if (start instanceof Optional) {
      if (start.value === undefined) this.result = start;
      else this.#object = start.value;
      this.#isOptional = true;
    }
  }

  step(qualifier: Qualifier, key: Result): void {
    this.#done++;
    this.#isOptional ||= qualifier.optional;
    const isTest = this.#attribute.isPresenceTest && this.#done === this.#attribute.qualifiers.length;
    const mayBeMissing = this.#isOptional || isTest;
    const found = key instanceof CelError ? key : qualify(this.#object, key, mayBeMissing);
    // An optional qualifier costs only if the value is present.
    if (!this.#isOptional || (found !== undefined && !(found instanceof CelError))) this.#frame.charge(1);
    if (found instanceof CelError) this.result = found;
    else if (this.#isOptional && found === undefined) this.result = Optional.NONE;
    else if (isTest && !this.#isOptional) this.#object = found !== undefined;
    else if (found !== undefined) this.#object = found;
  }

  finish(): Result {
    const value = this.result ?? (this.#isOptional ? Optional.of(this.#object) : this.#object);
    return this.#attribute.isPresenceTest && value instanceof Optional ? value.value !== undefined : value;
  }
}

/** Returns the value for a key. A missing value is undefined if `mayBeMissing`, else an error. */
function qualify(object: CelValue, key: CelValue, mayBeMissing: boolean): Result | undefined {
  if (object instanceof CelMap) {
    const value = guard(() => object.get(key));
    return value !== undefined || mayBeMissing ? value : new CelError(`no such key: ${formatKey(key)}`);
  }
  if (object instanceof CelList) {
    const index = listIndex(key);
    if (index instanceof CelError) return index;
    if (index >= 0 && index < object.size) return guard(() => object.at(index));
    return mayBeMissing ? undefined : new CelError(`index out of bounds: ${formatKey(key)}`);
  }
  return mayBeMissing ? undefined : new CelError(`no such key: ${formatKey(key)}`);
}

function listIndex(key: CelValue): number | CelError {
  if (typeof key === 'bigint') return Number(key);
  if (key instanceof Uint) return Number(key.value);
  if (typeof key !== 'number') return new CelError(`unsupported index type '${runtimeType(key).name}' in list`);
  return Number.isInteger(key) ? key : new CelError(`unsupported index value ${key} in list`);
}
