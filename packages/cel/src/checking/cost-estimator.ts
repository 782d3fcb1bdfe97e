import { Pace, type Steps } from '../steps/steps.ts';
import type { CallExpr, ComprehensionExpr, Expr, ListExpr, MapExpr, SelectExpr } from '../syntax/ast.ts';
import { ACCUMULATOR } from '../syntax/macro.ts';
import { codePointLength } from '../values/runtime-type.ts';
import { type CelType, DYN, isOptionalType, sameType } from '../values/types.ts';
import { BUILTIN_COSTS } from './builtin-cost.ts';
import type { CheckedExpression } from './checker.ts';
import {
  add,
  type CallEstimate,
  type CallSite,
  type CostEstimate,
  type CostNode,
  fixed,
  LIST_CREATE_BASE_COST,
  MAP_CREATE_BASE_COST,
  multiply,
  type SizeEstimate,
  type SizeEstimator,
  STRUCT_CREATE_BASE_COST,
  UNBOUNDED,
  UNKNOWN_SIZE,
  union,
} from './cost-estimate.ts';
import type { Library, Overload } from './function-declaration.ts';

/** Sizes of the elements of a list or the keys and values of a map. */
interface EntrySizes {
  readonly container: 'list' | 'map';
  readonly key: SizeEstimate;
  readonly value: SizeEstimate;
}

interface LocalVariable {
  readonly path: readonly string[];
  readonly size: SizeEstimate | undefined;
  readonly entries: EntrySizes | undefined;
}

type EqualityEstimate = NonNullable<Library['estimateEquality']>;

/** The approximate number of steps for estimating one node. */
const EXPR_STEPS = 32;

const ZERO = fixed(0);
const ONE = fixed(1);

/** Estimates the range of costs of an evaluation, with the sizes that `sizes` knows. */
export function estimateCost(
  checked: CheckedExpression,
  sizes: SizeEstimator,
  equality: EqualityEstimate,
): Steps<CostEstimate> {
  return new CostEstimator(checked, sizes, equality).cost(checked.expr);
}

class CostEstimator {
  readonly #checked: CheckedExpression;
  readonly #sizes: SizeEstimator;
  readonly #equality: EqualityEstimate;
  readonly #pace = new Pace();
  readonly #paths = new Map<number, readonly string[]>();
  readonly #locals = new Map<string, LocalVariable[]>();
  readonly #computedSizes = new Map<number, SizeEstimate>();
  readonly #computedEntries = new Map<number, EntrySizes>();

  constructor(checked: CheckedExpression, sizes: SizeEstimator, equality: EqualityEstimate) {
    this.#checked = checked;
    this.#sizes = sizes;
    this.#equality = equality;
  }

  *cost(expr: Expr): Steps<CostEstimate> {
    if (expr.kind === 'literal') return ZERO;
    if (this.#pace.isOver(EXPR_STEPS)) yield this.#pace.taken;
    if (expr.kind === 'ident' || this.#checked.idents.has(expr.id)) return this.#ident(expr);
    switch (expr.kind) {
      case 'select':
        return yield* this.#select(expr);
      case 'call':
        return yield* this.#call(expr);
      case 'list':
        return yield* this.#list(expr);
      case 'map':
        return yield* this.#map(expr);
      case 'struct': {
        let cost: CostEstimate = fixed(STRUCT_CREATE_BASE_COST);
        for (const { value } of expr.fields) cost = add(cost, yield* this.cost(value));
        return cost;
      }
      case 'comprehension':
        return isBind(expr) ? yield* this.#bind(expr) : yield* this.#comprehension(expr);
    }
  }

  #type(expr: Expr): CelType {
    return this.#checked.types.get(expr.id) ?? DYN;
  }

  #local(name: string): LocalVariable | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, local: LocalVariable): void {
    const stack = this.#locals.get(name);
    if (stack === undefined) this.#locals.set(name, [local]);
    else stack.push(local);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }

  #identName(expr: Expr): string {
    return this.#checked.idents.get(expr.id)?.name ?? (expr.kind === 'ident' ? expr.name : '');
  }

  #ident(expr: Expr): CostEstimate {
    const name = this.#identName(expr);
    this.#paths.set(expr.id, this.#local(name)?.path ?? [name]);
    return ONE;
  }

  #path(expr: Expr): readonly string[] {
    if (expr.kind === 'ident') {
      const local = this.#local(expr.name);
      if (local !== undefined) return local.path;
    }
    return this.#paths.get(expr.id) ?? [];
  }

  *#select(expr: SelectExpr): Steps<CostEstimate> {
    const operand = yield* this.cost(expr.operand);
    if (expr.testOnly) return operand;
    this.#paths.set(expr.id, [...this.#path(expr.operand), expr.field]);
    const { kind } = this.#type(expr.operand);
    return kind === 'map' || kind === 'object' || kind === 'typeParam' ? add(operand, ONE) : operand;
  }

  #node(expr: Expr): CostNode {
    const path = this.#path(expr);
    const visible = path.length > 0 && path[0] !== ACCUMULATOR && path[0] !== '__result__';
    return {
      path: visible ? path : undefined,
      type: this.#type(expr),
      computedSize: this.#size(expr),
      ...(expr.kind === 'literal' ? { literal: expr.value } : {}),
    };
  }

  *#call(expr: CallExpr): Steps<CostEstimate> {
    const resolved = this.#checked.calls.get(expr.id);
    if (resolved?.function.name === 'dyn' && expr.args[0] !== undefined) {
      const cost = add(ONE, yield* this.cost(expr.args[0]));
      this.#setSize(expr, this.#size(expr.args[0]));
      this.#setEntries(expr, this.#entries(expr.args[0]));
      return cost;
    }
    const argCosts: CostEstimate[] = [];
    for (const arg of expr.args) argCosts.push(yield* this.cost(arg));
    const args = expr.args.map((arg) => this.#node(arg));
    if (resolved === undefined) return expr.function === '_?._' ? add(ONE, sum(argCosts)) : ZERO;
    const targetCost = resolved.target === undefined ? ZERO : yield* this.cost(resolved.target);
    const target = resolved.target === undefined ? undefined : this.#node(resolved.target);
    const site: CallSite = { target, args, sizeOf: (node) => this.#sizeOf(node), elementOf };
    let cost: CostEstimate = { min: UNBOUNDED, max: 0 };
    let resultSize: SizeEstimate | undefined;
    for (const overload of resolved.overloads) {
      const estimate = this.#overloadCost(expr, overload, site, argCosts);
      cost = union(cost, estimate.cost);
      if (estimate.resultSize !== undefined)
        resultSize = resultSize === undefined ? estimate.resultSize : union(resultSize, estimate.resultSize);
      const step = overload.id === 'index_list' ? '@items' : overload.id === 'index_map' ? '@values' : undefined;
      if (step !== undefined && expr.args[0] !== undefined) {
        resultSize = this.#entries(expr.args[0])?.value;
        this.#paths.set(expr.id, [...this.#path(expr.args[0]), step]);
      }
      resultSize ??= this.#size(expr);
    }
    this.#setSize(expr, resultSize);
    return add(targetCost, cost);
  }

  #overloadCost(expr: CallExpr, overload: Overload, site: CallSite, argCosts: readonly CostEstimate[]): CallEstimate {
    const withArgs = (estimate: CallEstimate): CallEstimate => ({
      ...estimate,
      cost: add(estimate.cost, sum(argCosts)),
    });
    const own = overload.cost?.estimate?.(site);
    if (own !== undefined) return withArgs(own);
    const [first = ZERO, second = ZERO, third = ZERO] = argCosts;
    switch (overload.id) {
      case 'logical_and':
      case 'logical_or':
        return { cost: { min: first.min, max: add(first, second).max } };
      case 'conditional': {
        const [, truthy, falsy] = expr.args;
        if (truthy === undefined || falsy === undefined) return { cost: ZERO };
        this.#setEntries(expr, unionEntries(this.#entries(truthy), this.#entries(falsy)));
        const size = union(this.#size(truthy) ?? UNKNOWN_SIZE, this.#size(falsy) ?? UNKNOWN_SIZE);
        return { cost: add(first, union(second, third)), resultSize: size };
      }
      case 'equals': {
        const [lhs, rhs] = site.args;
        if (lhs === undefined || rhs === undefined || !sameType(lhs.type, rhs.type)) break;
        const cost = this.#equality(lhs.type, lhs, rhs);
        if (cost !== undefined) return withArgs({ cost });
        break;
      }
      case 'add_string':
      case 'add_bytes':
      case 'add_list':
        if (expr.args[0] !== undefined && expr.args[1] !== undefined) {
          this.#setEntries(expr, unionEntries(this.#entries(expr.args[0]), this.#entries(expr.args[1])));
        }
    }
    return withArgs(BUILTIN_COSTS.get(overload.id)?.estimate?.(site) ?? { cost: ONE });
  }

  *#list(expr: ListExpr): Steps<CostEstimate> {
    let cost: CostEstimate = ZERO;
    let value: SizeEstimate = { min: expr.elements.length === 0 ? 0 : UNBOUNDED, max: 0 };
    for (const element of expr.elements) {
      cost = add(cost, yield* this.cost(element));
      value = union(value, this.#size(element) ?? UNKNOWN_SIZE);
    }
    this.#setEntries(expr, { container: 'list', key: ONE, value });
    return add(cost, fixed(LIST_CREATE_BASE_COST));
  }

  *#map(expr: MapExpr): Steps<CostEstimate> {
    let cost: CostEstimate = ZERO;
    const none: SizeEstimate = { min: expr.entries.length === 0 ? 0 : UNBOUNDED, max: 0 };
    let [keySize, valueSize] = [none, none];
    for (const { key, value } of expr.entries) {
      cost = add(add(cost, yield* this.cost(key)), yield* this.cost(value));
      keySize = union(keySize, this.#size(key) ?? UNKNOWN_SIZE);
      valueSize = union(valueSize, this.#size(value) ?? UNKNOWN_SIZE);
    }
    this.#setEntries(expr, { container: 'map', key: keySize, value: valueSize });
    return add(cost, fixed(MAP_CREATE_BASE_COST));
  }

  *#comprehension(expr: ComprehensionExpr): Steps<CostEstimate> {
    let cost = add(yield* this.cost(expr.iterRange), yield* this.cost(expr.accuInit));
    this.#pushValue(expr.accuVar, expr.accuInit);
    this.#pushIteration(expr);
    const loopCost = yield* this.cost(expr.loopCondition);
    const stepCost = yield* this.cost(expr.loopStep);
    this.#pop(expr.iterVar);
    if (expr.iterVar2 !== undefined) this.#pop(expr.iterVar2);
    cost = add(cost, yield* this.cost(expr.result));
    this.#pop(expr.accuVar);
    const count = this.#size(expr.iterRange) ?? UNKNOWN_SIZE;
    cost = add(cost, multiply(count, add(stepCost, loopCost)));
    if (expr.accuInit.kind === 'literal') {
      this.#setSize(expr, this.#size(expr.accuInit));
    } else if (expr.accuInit.kind === 'list' || expr.accuInit.kind === 'map') {
      this.#setSize(expr, count);
      this.#setEntries(expr, this.#entries(expr.loopStep));
    }
    return cost;
  }

  *#bind(expr: ComprehensionExpr): Steps<CostEstimate> {
    const cost = add(yield* this.cost(expr.iterRange), yield* this.cost(expr.accuInit));
    this.#pushValue(expr.accuVar, expr.accuInit);
    const total = add(cost, yield* this.cost(expr.result));
    this.#pop(expr.accuVar);
    this.#setSize(expr, this.#size(expr.result));
    this.#setEntries(expr, this.#entries(expr.result));
    return total;
  }

  #pushValue(name: string, expr: Expr): void {
    this.#push(name, { path: this.#path(expr), size: this.#size(expr), entries: this.#entries(expr) });
  }

  #pushIteration({ iterRange, iterVar, iterVar2 }: ComprehensionExpr): void {
    const entries = this.#entries(iterRange);
    const isList = (entries?.container ?? this.#type(iterRange).kind) === 'list';
    const path = this.#path(iterRange);
    const push = (name: string, step: string, size: SizeEstimate | undefined) =>
      this.#push(name, { path: [...path, step], size, entries: undefined });
    if (iterVar2 === undefined) {
      push(iterVar, isList ? '@items' : '@keys', isList ? entries?.value : entries?.key);
    } else {
      push(iterVar, isList ? '@indices' : '@keys', entries?.key);
      push(iterVar2, isList ? '@items' : '@values', entries?.value);
    }
  }

  #sizeOf(node: CostNode): SizeEstimate {
    return node.computedSize ?? this.#sizes(node) ?? UNKNOWN_SIZE;
  }

  #size(expr: Expr): SizeEstimate | undefined {
    const computed = this.#computedSizes.get(expr.id) ?? literalSize(expr);
    if (computed !== undefined) return computed;
    const path = this.#path(expr);
    const type = this.#type(expr);
    const given = this.#sizes({ path, type, computedSize: undefined });
    if (given !== undefined) {
      this.#computedSizes.set(expr.id, given);
      return given;
    }
    if (isScalar(type)) return ONE;
    return expr.kind === 'ident' ? this.#local(expr.name)?.size : undefined;
  }

  #setSize(expr: Expr, size: SizeEstimate | undefined): void {
    if (size !== undefined) this.#computedSizes.set(expr.id, size);
  }

  #entries(expr: Expr): EntrySizes | undefined {
    return this.#computedEntries.get(expr.id) ?? (expr.kind === 'ident' ? this.#local(expr.name)?.entries : undefined);
  }

  #setEntries(expr: Expr, entries: EntrySizes | undefined): void {
    if (entries !== undefined) this.#computedEntries.set(expr.id, entries);
  }
}

function sum(costs: readonly CostEstimate[]): CostEstimate {
  return costs.reduce(add, ZERO);
}

function unionEntries(a: EntrySizes | undefined, b: EntrySizes | undefined): EntrySizes | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { container: a.container, key: union(a.key, b.key), value: union(a.value, b.value) };
}

/** Recognizes a local variable (`cel.bind`), which is a comprehension over an empty list. */
function isBind({ iterRange, loopCondition, accuVar }: ComprehensionExpr): boolean {
  const isEmpty = iterRange.kind === 'list' && iterRange.elements.length === 0;
  return isEmpty && loopCondition.kind === 'literal' && loopCondition.value === false && accuVar !== '__result__';
}

function literalSize(expr: Expr): SizeEstimate | undefined {
  switch (expr.kind) {
    case 'literal':
      if (typeof expr.value === 'string') return fixed(codePointLength(expr.value));
      return fixed(expr.value instanceof Uint8Array ? expr.value.length : 1);
    case 'list':
      return fixed(expr.elements.length);
    case 'map':
      return fixed(expr.entries.length);
    default:
      return undefined;
  }
}

function isScalar(type: CelType): boolean {
  switch (type.kind) {
    case 'bool':
    case 'double':
    case 'duration':
    case 'int':
    case 'timestamp':
    case 'uint':
      return true;
    default:
      return isOptionalType(type) && isScalar(type.parameters[0] ?? DYN);
  }
}

function elementOf(list: CostNode): CostNode | undefined {
  const type = list.type.parameters[0];
  if (type === undefined) return undefined;
  return { path: list.path === undefined ? undefined : [...list.path, '@items'], type, computedSize: undefined };
}
