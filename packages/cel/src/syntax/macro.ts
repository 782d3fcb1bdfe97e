import type { CelValue } from '../values/values.ts';
import type { Expr, MapEntry } from './ast.ts';

/** The name of the accumulator of standard comprehensions. It is not a valid identifier, so expressions cannot use it. */
export const ACCUMULATOR = '@result';

/** Builds expressions for a macro; each gets a fresh id at the position of the macro call. */
export interface ExprFactory {
  literal(value: CelValue): Expr;
  ident(name: string): Expr;
  accuIdent(): Expr;
  select(operand: Expr, field: string): Expr;
  testOnly(operand: Expr, field: string): Expr;
  call(name: string, ...args: Expr[]): Expr;
  memberCall(name: string, target: Expr, ...args: Expr[]): Expr;
  list(...elements: Expr[]): Expr;
  map(...entries: MapEntry[]): Expr;
  mapEntry(key: Expr, value: Expr): MapEntry;
  fold(fold: FoldSpec): Expr;
  /** Returns the expression for a second use by a macro, in the same scope. */
  copy(expr: Expr): Expr;
  /** Returns an error about the macro's use at the position of `expr`; the parser stops with this message. */
  error(expr: Expr, message: string): Error;
}

/** The parts of a comprehension. */
export interface FoldSpec {
  readonly iterRange: Expr;
  readonly iterVar: string;
  readonly iterVar2?: string;
  readonly accuVar?: string;
  readonly accuInit: Expr;
  readonly loopCondition: Expr;
  readonly loopStep: Expr;
  readonly result: Expr;
}

/** A call that the parser replaces by another expression. */
export interface MacroDeclaration {
  readonly name: string;
  /** Called as `target.name(…)`. */
  readonly isReceiver: boolean;
  readonly argCount: number;
  /** Returns the replacement, or undefined to keep the call. Throws `factory.error(…)`. */
  expand(factory: ExprFactory, target: Expr | undefined, args: readonly Expr[]): Expr | undefined;
}
