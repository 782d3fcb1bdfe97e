import { Pace, type Steps } from '../steps/steps.ts';
import type { CallExpr, ComprehensionExpr, Expr, ListExpr, MapExpr, SelectExpr, StructExpr } from '../syntax/ast.ts';
import type { ParsedExpression } from '../syntax/parser.ts';
import { type CompileIssue, NO_LOCATION, type Source } from '../syntax/source.ts';
import {
  BOOL,
  BYTES,
  CelType,
  DOUBLE,
  DYN,
  ERROR,
  INT,
  isDynOrError,
  isOptionalType,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  sameType,
  TypeTooComplexError,
  UINT,
} from '../values/types.ts';
import { type CelValue, Uint } from '../values/values.ts';
import type { FunctionDeclaration, Overload } from './function-declaration.ts';
import { mostGeneral, TypeUnifier } from './type-unifier.ts';

/** A declared name: a variable, or a constant if it has a value. */
export interface IdentDeclaration {
  readonly name: string;
  readonly type: CelType;
  readonly value?: CelValue;
  /** Declared by a comprehension. */
  readonly isLocal?: boolean;
}

/** The declarations that an expression can refer to. */
export interface Declarations {
  readonly container: string;
  ident(name: string): IdentDeclaration | undefined;
  function(name: string): FunctionDeclaration | undefined;
}

/** An expression whose names and types are resolved. */
export interface CheckedExpression {
  readonly source: Source;
  readonly expr: Expr;
  readonly offsets: readonly number[];
  /** The type of each expression, by id. */
  readonly types: ReadonlyMap<number, CelType>;
  /** The declarations of identifiers and qualified selections, by id. */
  readonly idents: ReadonlyMap<number, IdentDeclaration>;
  /** The candidate overloads of each call, by id. */
  readonly calls: ReadonlyMap<number, ResolvedCall>;
}

export interface ResolvedCall {
  readonly function: FunctionDeclaration;
  readonly overloads: readonly Overload[];
  /** Undefined for a call of a namespaced function, even if it is written like a member call. */
  readonly target: Expr | undefined;
}

/** Returns `a.b.c` as a name if the expression is one. */
function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select' || expr.testOnly) return undefined;
  const prefix = qualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}

/**
 * Returns the names to try for a name in the container, from the innermost scope outward. A leading dot means that the
 * name is absolute.
 */
function candidateNames(container: string, name: string): string[] {
  if (name.startsWith('.')) return [name.slice(1)];
  const candidates: string[] = [];
  for (let scope = container; scope !== ''; scope = scope.slice(0, Math.max(scope.lastIndexOf('.'), 0))) {
    candidates.push(`${scope}.${name}`);
  }
  candidates.push(name);
  return candidates;
}

/**
 * Checks types. Lists and maps may mix types only if `mixedLiterals`. Issues go to `report`; the result is valid only
 * if there were none.
 */
export function* check(
  parsed: ParsedExpression,
  source: Source,
  declarations: Declarations,
  mixedLiterals: boolean,
  report: (issue: CompileIssue) => void,
): Steps<CheckedExpression> {
  const checker = new Checker(parsed, source, declarations, mixedLiterals, report);
  try {
    yield* checker.check(parsed.expr);
    yield* checker.resolveTypes();
  } catch (error) {
    if (!(error instanceof TypeTooComplexError)) throw error;
    report({ message: 'types of the expression are too complex', location: NO_LOCATION });
  }
  const { types, idents, calls } = checker;
  return { source, expr: parsed.expr, offsets: parsed.offsets, types, idents, calls };
}

/** The approximate number of steps for checking one node. */
const EXPR_STEPS = 32;

interface Scope {
  readonly parent: Scope | undefined;
  readonly variables: ReadonlyMap<string, CelType>;
}

class Checker {
  readonly unifier = new TypeUnifier();
  readonly types = new Map<number, CelType>();
  readonly idents = new Map<number, IdentDeclaration>();
  readonly calls = new Map<number, ResolvedCall>();
  readonly #parsed: ParsedExpression;
  readonly #source: Source;
  readonly #declarations: Declarations;
  readonly #mixedLiterals: boolean;
  readonly #report: (issue: CompileIssue) => void;
  readonly #pace = new Pace();
  #scope: Scope | undefined;

  constructor(
    parsed: ParsedExpression,
    source: Source,
    declarations: Declarations,
    mixedLiterals: boolean,
    report: (issue: CompileIssue) => void,
  ) {
    this.#mixedLiterals = mixedLiterals;
    this.#parsed = parsed;
    this.#source = source;
    this.#declarations = declarations;
    this.#report = report;
  }

  /** Replaces type parameters by the types found for them. */
  *resolveTypes(): Steps<void> {
    const resolved = new Map<CelType, CelType>();
    for (const [id, type] of this.types) {
      if (!type.isGeneric) continue;
      this.types.set(id, this.unifier.resolve(type, resolved));
      if (this.#pace.isOver(EXPR_STEPS + this.unifier.stepsTaken)) yield this.#pace.taken;
    }
  }

  *check(expr: Expr): Steps<void> {
    if (this.#pace.isOver(EXPR_STEPS + this.unifier.stepsTaken)) yield this.#pace.taken;
    switch (expr.kind) {
      case 'literal':
        this.types.set(expr.id, literalType(expr.value));
        return;
      case 'ident':
        if (!this.#resolve(expr.id, expr.name)) this.#undeclared(expr.id, expr.name);
        return;
      case 'select':
        yield* this.#checkSelect(expr);
        return;
      case 'call':
        yield* this.#checkCall(expr);
        return;
      case 'list':
        yield* this.#checkList(expr);
        return;
      case 'map':
        yield* this.#checkMap(expr);
        return;
      case 'struct':
        yield* this.#checkStruct(expr);
        return;
      case 'comprehension':
        yield* this.#checkComprehension(expr);
    }
  }

  #error(id: number, message: string): void {
    this.#report({ message, location: this.#source.location(this.#parsed.offsets[id] ?? 0) });
  }

  #undeclared(id: number, name: string): void {
    this.types.set(id, ERROR);
    this.#error(id, `undeclared reference to '${name}' (in container '${this.#declarations.container}')`);
  }

  #mismatch(id: number, expected: CelType, actual: CelType): void {
    this.#error(id, `expected type '${expected}' but found '${actual}'`);
  }

  #typeOf(expr: Expr): CelType {
    return this.types.get(expr.id) ?? ERROR;
  }

  #lookup(name: string): IdentDeclaration | undefined {
    for (let scope = this.#scope; scope !== undefined; scope = scope.parent) {
      const type = scope.variables.get(name);
      if (type !== undefined) return { name, type, isLocal: true };
    }
    for (const candidate of candidateNames(this.#declarations.container, name)) {
      const found = this.#declarations.ident(candidate);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #lookupFunction(name: string): FunctionDeclaration | undefined {
    for (const candidate of candidateNames(this.#declarations.container, name)) {
      const found = this.#declarations.function(candidate);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #resolve(id: number, name: string): boolean {
    const found = this.#lookup(name);
    if (found === undefined) return false;
    this.types.set(id, found.type);
    this.idents.set(id, found);
    return true;
  }

  *#checkSelect(expr: SelectExpr): Steps<void> {
    const name = qualifiedName(expr);
    if (name !== undefined && this.#resolve(expr.id, name)) return;
    const type = yield* this.#fieldType(expr.id, expr.operand, expr.field, false);
    this.types.set(expr.id, expr.testOnly ? BOOL : this.unifier.substitute(type, false));
  }

  *#fieldType(id: number, operand: Expr, field: string, optional: boolean): Steps<CelType> {
    yield* this.check(operand);
    const operandType = this.unifier.substitute(this.#typeOf(operand), false);
    const isOptional = isOptionalType(operandType);
    const target = isOptional ? (operandType.parameters[0] ?? DYN) : operandType;
    let result = ERROR as CelType;
    switch (target.kind) {
      case 'map':
        result = target.parameters[1] ?? DYN;
        break;
      case 'object': {
        const found = target.fields?.field(field);
        if (found === undefined) this.#error(id, `undefined field '${field}'`);
        else result = found;
        break;
      }
      case 'typeParam':
        this.unifier.isAssignable(DYN, target);
        result = DYN;
        break;
      default:
        if (!isDynOrError(target)) this.#error(id, `type '${target}' does not support field selection`);
        result = DYN;
    }
    return isOptional || optional ? optionalOf(result) : result;
  }

  *#checkCall(expr: CallExpr): Steps<void> {
    if (expr.function === '_?._') {
      yield* this.#checkOptionalSelect(expr);
      return;
    }
    for (const arg of expr.args) yield* this.check(arg);
    if (expr.target === undefined) {
      const found = this.#lookupFunction(expr.function);
      if (found === undefined) this.#undeclared(expr.id, expr.function);
      else this.#resolveOverload(expr, found, undefined);
      return;
    }
    const prefix = qualifiedName(expr.target);
    const namespaced = prefix === undefined ? undefined : this.#lookupFunction(`${prefix}.${expr.function}`);
    if (namespaced !== undefined) {
      this.#resolveOverload(expr, namespaced, undefined);
      return;
    }
    yield* this.check(expr.target);
    const found = this.#lookupFunction(expr.function);
    if (found === undefined) this.#undeclared(expr.id, expr.function);
    else this.#resolveOverload(expr, found, expr.target);
  }

  *#checkOptionalSelect(expr: CallExpr): Steps<void> {
    const [operand, field] = expr.args;
    if (operand === undefined || field?.kind !== 'literal' || typeof field.value !== 'string') {
      this.#error(expr.id, 'unsupported optional field selection');
      return;
    }
    this.types.set(field.id, STRING);
    const type = yield* this.#fieldType(expr.id, operand, field.value, true);
    this.types.set(expr.id, this.unifier.substitute(type, false));
  }

  #resolveOverload(expr: CallExpr, declaration: FunctionDeclaration, target: Expr | undefined): void {
    const args = target === undefined ? expr.args : [target, ...expr.args];
    const argTypes = args.map((arg) => this.#typeOf(arg));
    if (declaration.name === '_&&_' || declaration.name === '_||_') {
      let failed = false;
      args.forEach((arg, i) => {
        const type = argTypes[i] ?? ERROR;
        if (this.unifier.isAssignable(type, BOOL)) return;
        this.#mismatch(arg.id, BOOL, type);
        failed = true;
      });
      this.calls.set(expr.id, { function: declaration, overloads: declaration.overloads, target });
      this.types.set(expr.id, failed ? ERROR : BOOL);
      return;
    }
    const candidates: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of declaration.overloads) {
      if (overload.isMember !== (target !== undefined)) continue;
      const signature = this.#instantiate(overload);
      if (!this.unifier.areAssignable(argTypes, signature.parameters)) continue;
      candidates.push(overload);
      const type = this.unifier.substitute(signature.result, false);
      if (result === undefined) result = type;
      else if (result.kind !== 'dyn' && !sameType(type, result)) result = DYN;
    }
    if (result === undefined) {
      const [first, ...rest] = argTypes.map((type) => this.unifier.substitute(type, true));
      const signature =
        target === undefined
          ? `(${[first, ...rest].filter((type) => type !== undefined).join(', ')})`
          : `${first}.(${rest.join(', ')})`;
      this.#error(expr.id, `found no matching overload for '${declaration.name}' applied to '${signature}'`);
      this.types.set(expr.id, ERROR);
      return;
    }
    this.calls.set(expr.id, { function: declaration, overloads: candidates, target });
    this.types.set(expr.id, result);
  }

  /** Returns the signature with fresh variables in place of the overload's type parameters. */
  #instantiate(overload: Overload): { parameters: readonly CelType[]; result: CelType } {
    const names = new Map<string, CelType>();
    const replace = (type: CelType): CelType => {
      if (type.kind === 'typeParam') {
        const variable = names.get(type.name) ?? this.unifier.fresh();
        names.set(type.name, variable);
        return variable;
      }
      if (type.parameters.length === 0) return type;
      return new CelType(type.kind, type.name, type.parameters.map(replace), type.fields);
    };
    if (!overload.result.isGeneric && !overload.parameters.some(({ isGeneric }) => isGeneric)) return overload;
    return { parameters: overload.parameters.map(replace), result: replace(overload.result) };
  }

  /** Returns the type of `?expr` without its optional wrapper. */
  #unwrapOptional(expr: Expr): CelType {
    const type = this.#typeOf(expr);
    if (isOptionalType(type)) return type.parameters[0] ?? DYN;
    if (type.kind !== 'dyn') this.#mismatch(expr.id, optionalOf(type), type);
    return type;
  }

  #join(expr: Expr, previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current;
    if (this.unifier.isAssignable(previous, current)) return mostGeneral(previous, current);
    if (this.#mixedLiterals) return DYN;
    this.#mismatch(expr.id, previous, current);
    return ERROR;
  }

  *#checkList(expr: ListExpr): Steps<void> {
    let type: CelType | undefined;
    const optional = new Set(expr.optionalIndices);
    for (const [i, element] of expr.elements.entries()) {
      yield* this.check(element);
      const elementType = optional.has(i) ? this.#unwrapOptional(element) : this.#typeOf(element);
      type = this.#join(element, type, elementType);
    }
    this.types.set(expr.id, listOf(type ?? this.unifier.fresh()));
  }

  *#checkMap(expr: MapExpr): Steps<void> {
    let keyType: CelType | undefined;
    let valueType: CelType | undefined;
    for (const { key, value, optional } of expr.entries) {
      yield* this.check(key);
      keyType = this.#join(key, keyType, this.#typeOf(key));
      yield* this.check(value);
      valueType = this.#join(value, valueType, optional ? this.#unwrapOptional(value) : this.#typeOf(value));
    }
    this.types.set(expr.id, mapOf(keyType ?? this.unifier.fresh(), valueType ?? this.unifier.fresh()));
  }

  *#checkStruct(expr: StructExpr): Steps<void> {
    const ident = this.#lookup(expr.typeName);
    if (ident === undefined) {
      this.#undeclared(expr.id, expr.typeName);
      return;
    }
    let type = ERROR as CelType;
    if (ident.type.kind !== 'type') {
      this.#error(expr.id, `'${ident.type.name}' is not a type`);
    } else {
      const named = ident.type.parameters[0];
      if (named?.kind === 'object') type = named;
      else this.#error(expr.id, `'${named?.name ?? 'type'}' is not a message type`);
    }
    this.types.set(expr.id, type);
    for (const field of expr.fields) {
      yield* this.check(field.value);
      const declared = type.fields?.field(field.name);
      if (declared === undefined && type !== ERROR) this.#error(field.id, `undefined field '${field.name}'`);
      const valueType = field.optional ? this.#unwrapOptional(field.value) : this.#typeOf(field.value);
      if (!this.unifier.isAssignable(declared ?? ERROR, valueType)) {
        this.#error(
          field.id,
          `expected type of field '${field.name}' is '${declared}' but provided type is '${valueType}'`,
        );
      }
    }
  }

  *#checkComprehension(expr: ComprehensionExpr): Steps<void> {
    yield* this.check(expr.iterRange);
    yield* this.check(expr.accuInit);
    const accuType = this.#typeOf(expr.accuInit);
    const [first, second] = this.#iterationTypes(expr);
    const outer = this.#scope;
    const accuScope: Scope = { parent: outer, variables: new Map([[expr.accuVar, accuType]]) };
    const variables = new Map([[expr.iterVar, first]]);
    if (expr.iterVar2 !== undefined) variables.set(expr.iterVar2, second);
    this.#scope = { parent: accuScope, variables };
    yield* this.check(expr.loopCondition);
    this.#assertType(expr.loopCondition, BOOL);
    yield* this.check(expr.loopStep);
    this.#assertType(expr.loopStep, accuType);
    this.#scope = accuScope;
    yield* this.check(expr.result);
    this.#scope = outer;
    this.types.set(expr.id, this.unifier.substitute(this.#typeOf(expr.result), false));
  }

  #iterationTypes(expr: ComprehensionExpr): [CelType, CelType] {
    const range = this.unifier.substitute(this.#typeOf(expr.iterRange), false);
    const isTwo = expr.iterVar2 !== undefined;
    switch (range.kind) {
      case 'list': {
        const element = range.parameters[0] ?? DYN;
        return isTwo ? [INT, element] : [element, element];
      }
      case 'map':
        return [range.parameters[0] ?? DYN, range.parameters[1] ?? DYN];
      case 'dyn':
      case 'error':
      case 'typeParam':
        this.unifier.isAssignable(DYN, range);
        return [DYN, DYN];
      default:
        this.#error(
          expr.iterRange.id,
          `expression of type '${range}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [ERROR, ERROR];
    }
  }

  #assertType(expr: Expr, type: CelType): void {
    if (!this.unifier.isAssignable(type, this.#typeOf(expr))) this.#mismatch(expr.id, type, this.#typeOf(expr));
  }
}

function literalType(value: CelValue): CelType {
  switch (typeof value) {
    case 'boolean':
      return BOOL;
    case 'bigint':
      return INT;
    case 'number':
      return DOUBLE;
    case 'string':
      return STRING;
  }
  if (value === null) return NULL;
  return value instanceof Uint ? UINT : BYTES;
}
