import type { CelValue } from '../values/values.ts';
import { children, type Expr, type MapEntry } from './ast.ts';
import { ACCUMULATOR, type ExprFactory, type FoldSpec } from './macro.ts';

/** Thrown by macros; the parser turns it into an issue at the position of the expression. */
export class MacroError extends Error {
  readonly exprId: number;
  constructor(exprId: number, message: string) {
    super(message);
    this.exprId = exprId;
  }
}

/** Thrown when an expression has too many nodes after macro expansion: some macros copy their target. */
export class ExprLimitError extends Error {}

const MAX_NODES = 150_000;

/** Allocates expression ids and records the source offset of each expression. Throws ExprLimitError. */
export class ExprIds {
  readonly offsets: number[] = [0];

  #reserved = 0;

  next(offset: number): number {
    if (this.offsets.length + this.#reserved > MAX_NODES) throw new ExprLimitError();
    this.offsets.push(offset);
    return this.offsets.length - 1;
  }

  /** Counts expressions that are used again towards the limit. */
  reserve(count: number): void {
    this.#reserved += count;
    if (this.offsets.length + this.#reserved > MAX_NODES) throw new ExprLimitError();
  }

  offset(id: number): number {
    return this.offsets[id] ?? 0;
  }
}

/** Builds the expressions of one macro expansion, all at the position of the macro call. */
export class MacroExprFactory implements ExprFactory {
  readonly #ids: ExprIds;
  readonly #position: number;

  constructor(ids: ExprIds, position: number) {
    this.#ids = ids;
    this.#position = position;
  }

  #id(): number {
    return this.#ids.next(this.#position);
  }
  literal(value: CelValue): Expr {
    return { kind: 'literal', id: this.#id(), value };
  }
  ident(name: string): Expr {
    return { kind: 'ident', id: this.#id(), name };
  }
  accuIdent(): Expr {
    return this.ident(ACCUMULATOR);
  }
  select(operand: Expr, field: string): Expr {
    return { kind: 'select', id: this.#id(), operand, field, testOnly: false };
  }
  testOnly(operand: Expr, field: string): Expr {
    return { kind: 'select', id: this.#id(), operand, field, testOnly: true };
  }
  call(name: string, ...args: Expr[]): Expr {
    return { kind: 'call', id: this.#id(), function: name, target: undefined, args };
  }
  memberCall(name: string, target: Expr, ...args: Expr[]): Expr {
    return { kind: 'call', id: this.#id(), function: name, target, args };
  }
  list(...elements: Expr[]): Expr {
    return { kind: 'list', id: this.#id(), elements, optionalIndices: [] };
  }
  map(...entries: MapEntry[]): Expr {
    return { kind: 'map', id: this.#id(), entries };
  }
  mapEntry(key: Expr, value: Expr): MapEntry {
    return { id: this.#id(), key, value, optional: false };
  }
  fold(fold: FoldSpec): Expr {
    return { kind: 'comprehension', id: this.#id(), accuVar: ACCUMULATOR, iterVar2: undefined, ...fold };
  }
  error(expr: Expr, message: string): Error {
    return new MacroError(expr.id, message);
  }

  /** Returns the expression itself: the same names are in scope at both places. Its nodes are counted again. */
  copy(expr: Expr): Expr {
    let count = 0;
    const pending = [expr];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      count++;
      for (const child of children(next)) pending.push(child);
    }
    this.#ids.reserve(count);
    return expr;
  }
}
