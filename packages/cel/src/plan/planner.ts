import { CountingEventLoop } from '@coxswain/apimachinery/turns';
import { BUILTIN_COSTS } from '../checking/builtin-cost.ts';
import type { CheckedExpression, ResolvedCall } from '../checking/checker.ts';
import { add } from '../standard/operators.ts';
import { regexProblem } from '../standard/regex.ts';
import { Pace, type Steps } from '../steps/steps.ts';
import type { CallExpr, ComprehensionExpr, Expr, ListExpr, MapExpr, SelectExpr, StructExpr } from '../syntax/ast.ts';
import { ACCUMULATOR } from '../syntax/macro.ts';
import { celEquals } from '../values/equality.ts';
import { DYN } from '../values/types.ts';
import { CelError, CelList, type CelValue, TypeValue, Uint } from '../values/values.ts';
import {
  AttributeNode,
  ConditionalRoot,
  LocalRoot,
  type Qualifier,
  RelativeRoot,
  VariableRoot,
} from './attribute-node.ts';
import {
  type Callee,
  CallNode,
  ConstantMembershipNode,
  EqualityNode,
  implementation,
  NotStrictlyFalseNode,
  OperatorNode,
} from './call-node.ts';
import { AppendNode, FoldNode, freshAccumulator } from './fold-node.ts';
import { Frame } from './frame.ts';
import {
  ConstNode,
  ConstructorNode,
  LogicalNode,
  listConstructor,
  mapConstructor,
  OptionalOrNode,
  type PlanNode,
  structConstructor,
} from './plan-node.ts';

/** Thrown for a checked expression that cannot be evaluated, such as `int('x')`. The message is upstream's. */
export class CelProgramError extends Error {
  override readonly name = 'CelProgramError';
}

/** A planned expression. */
export interface Plan {
  readonly root: PlanNode;
  /** Variables in the order of their indices. */
  readonly variables: readonly string[];
  readonly localCount: number;
  readonly isAsync: boolean;
}

const CONVERSION_FUNCTIONS = new Set([
  'bool',
  'bytes',
  'double',
  'dyn',
  'duration',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
]);
/** The approximate number of steps for planning one node. */
const EXPR_STEPS = 32;
/** Operators that never take long. */
const QUICK_OPERATORS = new Set('_-_ _*_ _/_ _%_ _<_ _<=_ _>_ _>=_ !_ -_ size'.split(' '));
const HEAVY_FUNCTIONS = new Set(['matches', 'find', 'findAll']);

/** Plans a checked expression and evaluates its constant parts. Throws CelProgramError if one of them fails. */
export function* plan(checked: CheckedExpression): Steps<Plan> {
  const planner = new Planner(checked);
  const root = yield* planner.plan(checked.expr);
  return { root, variables: [...planner.variables.keys()], localCount: planner.localCount, isAsync: planner.isAsync };
}

class Planner {
  readonly variables = new Map<string, number>();
  localCount = 0;
  #nodeCount = 0;
  readonly #pace = new Pace();
  isAsync = false;
  readonly #checked: CheckedExpression;
  /** Comprehension variables in scope. */
  #scope: ReadonlyMap<string, LocalRoot> = new Map();

  constructor(checked: CheckedExpression) {
    this.#checked = checked;
  }

  *plan(expr: Expr): Steps<PlanNode> {
    this.#nodeCount++;
    if (this.#pace.isOver(EXPR_STEPS)) yield this.#pace.taken;
    switch (expr.kind) {
      case 'literal':
        return new ConstNode(expr.value);
      case 'ident':
        return this.#planIdent(expr);
      case 'select':
        return yield* this.#planSelect(expr);
      case 'call':
        return yield* this.#planCall(expr);
      case 'list':
        return yield* this.#planList(expr);
      case 'map':
        return yield* this.#planMap(expr);
      case 'struct':
        return yield* this.#planStruct(expr);
      case 'comprehension':
        return yield* this.#planComprehension(expr);
    }
  }

  *#planAll(exprs: readonly Expr[]): Steps<PlanNode[]> {
    const nodes: PlanNode[] = [];
    for (const expr of exprs) nodes.push(yield* this.plan(expr));
    return nodes;
  }

  #planIdent(expr: Expr): PlanNode {
    const declaration = this.#checked.idents.get(expr.id);
    if (declaration === undefined) throw new CelProgramError('an identifier was not resolved');
    const local = this.#scope.get(declaration.name);
    if (local !== undefined) return new AttributeNode(local);
    if (declaration.value !== undefined) return new ConstNode(declaration.value);
    const { name, type } = declaration;
    if (type.kind === 'type') return new ConstNode(new TypeValue(type.parameters[0] ?? type));
    const index = this.variables.get(name) ?? this.variables.size;
    this.variables.set(name, index);
    return new AttributeNode(new VariableRoot(index));
  }

  *#planSelect(expr: SelectExpr): Steps<PlanNode> {
    if (this.#checked.idents.has(expr.id)) return this.#planIdent(expr);
    return qualified(
      yield* this.plan(expr.operand),
      { key: expr.field, node: undefined, optional: false },
      expr.testOnly,
    );
  }

  *#planCall(expr: CallExpr): Steps<PlanNode> {
    const call = this.#checked.calls.get(expr.id);
    if (expr.function === '_?._') return yield* this.#planIndex(expr, true);
    if (call === undefined) throw new CelProgramError('a call was not resolved');
    const name = call.function.name;
    if (name === '_+_') {
      const append = yield* this.#planAppend(expr);
      if (append !== undefined) return append;
    }
    if (name === '_[_]' || name === '_[?_]') return yield* this.#planIndex(expr, name === '_[?_]');
    const argExprs = call.target === undefined ? expr.args : [call.target, ...expr.args];
    const args = yield* this.#planAll(argExprs);
    const [first, second, third] = args;
    if (first !== undefined && second !== undefined) {
      switch (name) {
        case '_&&_':
          return new LogicalNode(first, second, false);
        case '_||_':
          return new LogicalNode(first, second, true);
        case '_?_:_':
          return new AttributeNode(new ConditionalRoot(first, second, third ?? new ConstNode(null)));
        case '_==_':
          return new EqualityNode(first, second, true);
        case '_!=_':
          return new EqualityNode(first, second, false);
        case 'or':
        case 'orValue':
          if (call.overloads[0]?.id.startsWith('optional_or'))
            return new OptionalOrNode(first, second, name === 'orValue');
          break;
        case '@in':
          if (call.overloads.length === 1 && call.overloads[0]?.id === 'in_list' && second instanceof ConstNode) {
            const membership = constantMembership(first, second.value);
            if (membership !== undefined) return membership;
          }
      }
    }
    if (name === '@not_strictly_false' && first !== undefined) return new NotStrictlyFalseNode(first);
    return this.#planFunction(call, argExprs, args);
  }

  #planFunction(call: ResolvedCall, argExprs: readonly Expr[], args: readonly PlanNode[]): PlanNode {
    const { name } = call.function;
    const isAsync = call.overloads.some((overload) => overload.isAsync);
    if (isAsync) this.isAsync = true;
    const cost = costOf(call);
    const { dispatch } = call.function;
    const [left, right] = args;
    if (dispatch !== undefined && cost === undefined && left !== undefined && !CONVERSION_FUNCTIONS.has(name)) {
      return new OperatorNode(left, right, dispatch, !QUICK_OPERATORS.has(name));
    }
    const types = argExprs.map((arg) => this.#checked.types.get(arg.id) ?? DYN);
    const callee: Callee = {
      isAsync,
      isHeavy: HEAVY_FUNCTIONS.has(name),
      call: implementation(call.function, call.overloads, types),
      cost: cost?.price,
      costDependsOnResult: cost?.dependsOnResult ?? false,
    };
    const node = new CallNode(args, callee);
    const [only] = args;
    if (args.length === 1 && only instanceof ConstNode && CONVERSION_FUNCTIONS.has(name))
      return new ConstNode(constant(node));
    const pattern = args[1];
    if (HEAVY_FUNCTIONS.has(name) && pattern instanceof ConstNode && typeof pattern.value === 'string') {
      const problem = regexProblem(pattern.value);
      if (problem !== undefined) throw new CelProgramError(problem);
    }
    return node;
  }

  *#planIndex(expr: CallExpr, optional: boolean): Steps<PlanNode> {
    const [operand, index] = expr.args;
    if (operand === undefined || index === undefined) throw new CelProgramError('an index has no operands');
    const object = yield* this.plan(operand);
    const key = yield* this.plan(index);
    const qualifier =
      key instanceof ConstNode
        ? { key: key.value, node: undefined, optional }
        : { key: undefined, node: key, optional };
    return qualified(object, qualifier, false);
  }

  /** `@result + [element]` of a macro. */
  *#planAppend({ args: [accumulator, list] }: CallExpr): Steps<PlanNode | undefined> {
    if (accumulator?.kind !== 'ident' || accumulator.name !== ACCUMULATOR || list?.kind !== 'list') return undefined;
    const [element] = list.elements;
    if (element === undefined || list.elements.length !== 1 || list.optionalIndices.length > 0) return undefined;
    return new AppendNode(yield* this.plan(accumulator), yield* this.plan(element), add);
  }

  *#planList(expr: ListExpr): Steps<PlanNode> {
    const elements = yield* this.#planAll(expr.elements);
    return literal(elements, new ConstructorNode(elements, listConstructor(new Set(expr.optionalIndices))));
  }

  *#planMap(expr: MapExpr): Steps<PlanNode> {
    const parts = yield* this.#planAll(expr.entries.flatMap(({ key, value }) => [key, value]));
    return literal(parts, new ConstructorNode(parts, mapConstructor(expr.entries.map(({ optional }) => optional))));
  }

  *#planStruct(expr: StructExpr): Steps<PlanNode> {
    const type = this.#checked.types.get(expr.id);
    if (type === undefined) throw new CelProgramError(`unknown type: ${expr.typeName}`);
    const values = yield* this.#planAll(expr.fields.map(({ value }) => value));
    return new ConstructorNode(values, structConstructor(type, expr.fields));
  }

  *#planComprehension(expr: ComprehensionExpr): Steps<PlanNode> {
    const range = yield* this.plan(expr.iterRange);
    const init = yield* this.plan(expr.accuInit);
    const outer = this.#scope;
    const accuSlot = this.localCount++;
    const slot1 = this.localCount++;
    const slot2 = expr.iterVar2 === undefined ? undefined : this.localCount++;
    const accu = new LocalRoot(accuSlot, init, expr.accuVar === ACCUMULATOR ? freshAccumulator : undefined);
    const inResult = new Map(outer).set(expr.accuVar, accu);
    const inLoop = new Map(inResult).set(expr.iterVar, new LocalRoot(slot1));
    if (expr.iterVar2 !== undefined && slot2 !== undefined) inLoop.set(expr.iterVar2, new LocalRoot(slot2));
    this.#scope = inLoop;
    const before = this.#nodeCount;
    const condition = yield* this.plan(expr.loopCondition);
    const step = yield* this.plan(expr.loopStep);
    const weight = this.#nodeCount - before;
    this.#scope = inResult;
    const result = yield* this.plan(expr.result);
    this.#scope = outer;
    return new FoldNode({ range, condition, step, result, accuSlot, slot1, slot2, weight });
  }
}

/** Adds a field or index to an attribute, or starts an attribute at another node. */
function qualified(operand: PlanNode, qualifier: Qualifier, isPresenceTest: boolean): PlanNode {
  if (operand instanceof AttributeNode && !operand.isPresenceTest) {
    return new AttributeNode(operand.root, [...operand.qualifiers, qualifier], isPresenceTest);
  }
  return new AttributeNode(new RelativeRoot(operand), [qualifier], isPresenceTest);
}

function constant(node: PlanNode): CelValue {
  const value = node.evaluate(emptyFrame());
  if (value instanceof CelError) throw new CelProgramError(value.message);
  return value;
}

function literal(parts: readonly PlanNode[], node: ConstructorNode): PlanNode {
  return parts.every((part) => part instanceof ConstNode) ? new ConstNode(constant(node)) : node;
}

/** An event loop whose clock never advances: evaluating constants takes no relevant time. */
const noWork = new CountingEventLoop({ msPerLook: 0 });

function emptyFrame(): Frame {
  const bindings = new Map<string, CelValue>();
  return new Frame({ bindings, variables: [], localCount: 0, costLimit: Number.POSITIVE_INFINITY, eventLoop: noWork });
}

/** Returns a membership test for a list of constant scalars; undefined if the list has other values. */
function constantMembership(arg: PlanNode, list: CelValue): PlanNode | undefined {
  if (!(list instanceof CelList)) return undefined;
  if (list.size === 0) return new ConstNode(false);
  const scalars = [...list];
  const isScalar = (value: CelValue) => typeof value !== 'object' || value instanceof Uint;
  if (!scalars.every(isScalar)) return undefined;
  const strings = new Set<CelValue>(scalars);
  const hasNumbers = scalars.some((value) => typeof value !== 'string' && typeof value !== 'boolean');
  if (!hasNumbers) return new ConstantMembershipNode(arg, (value) => strings.has(value));
  return new ConstantMembershipNode(arg, (value) => scalars.some((scalar) => celEquals(scalar, value)));
}

interface Price {
  readonly price: NonNullable<Callee['cost']>;
  readonly dependsOnResult: boolean;
}

/**
 * Returns the cost function of a call. Costs declared by libraries come first. The language's own costs apply only if
 * the type check found one overload.
 */
function costOf(call: ResolvedCall): Price | undefined {
  const [only] = call.overloads;
  const isCertain = call.overloads.length === 1;
  const priced = call.overloads.find(({ cost }) => cost?.actual !== undefined && (isCertain || !cost.needsOverload));
  const cost = priced?.cost ?? (isCertain && only !== undefined ? BUILTIN_COSTS.get(only.id) : undefined);
  const actual = cost?.actual;
  if (actual === undefined) return undefined;
  return { price: (args, result) => actual(args, result) ?? 1, dependsOnResult: cost?.dependsOnResult ?? false };
}
