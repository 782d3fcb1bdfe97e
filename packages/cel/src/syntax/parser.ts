import { Pace, type Steps } from '../steps/steps.ts';
import type { Expr, MapEntry, StructField } from './ast.ts';
import { ExprIds, ExprLimitError, MacroError, MacroExprFactory } from './expr-builder.ts';
import { tokenize } from './lexer.ts';
import { LITERAL_KINDS, literalValue } from './literal-value.ts';
import type { MacroDeclaration } from './macro.ts';
import { type CompileIssue, NO_LOCATION, type Source } from './source.ts';
import { ParseStopped, PRIMARY_START, TokenReader } from './token-reader.ts';

/** The result of parsing: the tree with macros expanded, and the source offset of each expression by id. */
export interface ParsedExpression {
  readonly expr: Expr;
  readonly offsets: readonly number[];
}

export interface ParserOptions {
  /** Returns the macro for a call, if there is one. */
  macro(name: string, argCount: number, isReceiver: boolean): MacroDeclaration | undefined;
  /** Whether fields may be written in backticks. */
  readonly escapedIdentifiers: boolean;
}

const MAX_CODE_POINTS = 100_000;
const MAX_DEPTH = 250;
/** The number of errors after which parsing stops. */
const MAX_PROBLEMS = 100;
/** The approximate number of steps for parsing one node. */
const EXPR_STEPS = 32;

/** Binary operators with their precedence; higher numbers bind more strongly. `&&` and `||` are handled separately. */
const PRECEDENCE: ReadonlyMap<string, number> = new Map([
  ...['<', '<=', '>=', '>', '==', '!=', 'in'].map((operator) => [operator, 1] as const),
  ...['+', '-'].map((operator) => [operator, 2] as const),
  ...['*', '/', '%'].map((operator) => [operator, 3] as const),
]);
const OPERATORS: ReadonlyMap<string, string> = new Map(
  Array.from(PRECEDENCE.keys(), (operator) => [operator, operator === 'in' ? '@in' : `_${operator}_`] as const),
);
const RESERVED = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(
    ' ',
  ),
);
const INDEX_START = new Set([...PRIMARY_START, '?']);
const ARGUMENT_START = new Set([...PRIMARY_START, ')']);
/** Returns the tokens that can start an entry, follow the opening bracket, and follow an entry. */
const entryStarts = (start: Iterable<string>, close: string) => {
  const canStart: ReadonlySet<string> = new Set([...start, '?']);
  return {
    canStart,
    canOpen: new Set([...canStart, close, ',']),
    canFollow: new Set([close, ',']),
    close,
  };
};
const LIST_ENTRIES = entryStarts(PRIMARY_START, ']');
const MAP_ENTRIES = entryStarts(PRIMARY_START, '}');
const STRUCT_ENTRIES = entryStarts(['IDENTIFIER', 'ESC_IDENTIFIER'], '}');
/** Tokens that continue an operand; others end it. */
const MEMBER_START = new Set(['.', '[', '(', '{']);

/**
 * Parses an expression. Returns undefined if there are syntax errors, which go to `report`. Depth and size are limited,
 * so that later recursion over the tree is safe.
 */
export function* parse(
  source: Source,
  options: ParserOptions,
  report: (issue: CompileIssue) => void,
): Steps<ParsedExpression | undefined> {
  if (source.codePoints.length > MAX_CODE_POINTS) {
    const message = `expression code point size exceeds limit: size: ${source.codePoints.length}, limit ${MAX_CODE_POINTS}`;
    report({ message, location: NO_LOCATION });
    return undefined;
  }
  let problems = 0;
  const reportAndCount = (issue: CompileIssue) => {
    report(issue);
    if (++problems > MAX_PROBLEMS) throw new ParseStopped();
  };
  try {
    const tokens = yield* tokenize(source, reportAndCount);
    const parser = new Parser(new TokenReader(source, tokens, reportAndCount), source, options);
    const expr = yield* parser.parseStart();
    return problems > 0 ? undefined : { expr, offsets: parser.ids.offsets };
  } catch (error) {
    if (error instanceof ParseStopped) return undefined;
    if (!(error instanceof ExprLimitError)) throw error;
    report({ message: 'expression size exceeds limit after macro expansion', location: NO_LOCATION });
    return undefined;
  }
}

class Parser {
  readonly ids = new ExprIds();
  readonly #reader: TokenReader;
  readonly #source: Source;
  readonly #options: ParserOptions;
  readonly #pace = new Pace();
  #exprDepth = 0;
  /** The nesting depth of operators and selections below an expression, by id. */
  readonly #nesting: number[] = [];

  constructor(reader: TokenReader, source: Source, options: ParserOptions) {
    this.#reader = reader;
    this.#source = source;
    this.#options = options;
  }

  *parseStart(): Steps<Expr> {
    const expr = yield* this.#parseExpr();
    this.#reader.expectEnd();
    return expr;
  }

  /** Records the nesting depth of an expression. `own` is 1 for operators, selections and member calls. */
  #nested(expr: Expr, own: number, children: readonly (Expr | undefined)[]): Expr {
    let depth = 0;
    for (const child of children) depth = Math.max(depth, child === undefined ? 0 : (this.#nesting[child.id] ?? 0));
    if (depth + own > MAX_DEPTH) this.#reader.stop('max recursion depth exceeded');
    this.#nesting[expr.id] = depth + own;
    return expr;
  }

  #id(offset: number): number {
    return this.ids.next(offset);
  }

  *#parseExpr(): Steps<Expr> {
    if (++this.#exprDepth > MAX_DEPTH) this.#reader.stop(`expression recursion limit exceeded: ${MAX_DEPTH}`);
    const condition = yield* this.#parseLogical('||');
    const op = this.#reader.accept('?');
    let result = condition;
    if (op !== undefined) {
      const id = this.#id(op.start);
      const truthy = yield* this.#parseLogical('||');
      this.#reader.expect(':');
      const falsy = yield* this.#parseExpr();
      result = this.#call(id, '_?_:_', [condition, truthy, falsy]);
    }
    this.#exprDepth--;
    return result;
  }

  *#parseLogical(op: '||' | '&&'): Steps<Expr> {
    const reader = this.#reader;
    const first = op === '||' ? yield* this.#parseLogical('&&') : yield* this.#parseOperators(1);
    if (!reader.is(op)) return first;
    const terms = [first];
    const ids: number[] = [];
    for (let token = reader.accept(op); token !== undefined; token = reader.accept(op)) {
      terms.push(op === '||' ? yield* this.#parseLogical('&&') : yield* this.#parseOperators(1));
      ids.push(this.#id(token.start));
    }
    return this.#balance(`_${op}_`, terms, ids, 0, ids.length - 1);
  }

  /** Builds a balanced tree for a chain of `&&` or `||`, so that long chains do not nest deeply. */
  #balance(name: string, terms: readonly Expr[], ids: readonly number[], low: number, high: number): Expr {
    const middle = Math.floor((low + high + 1) / 2);
    const side = (from: number, to: number, leaf: number) =>
      from > to ? terms[leaf] : this.#balance(name, terms, ids, from, to);
    const left = side(low, middle - 1, middle);
    const right = side(middle + 1, high, middle + 1);
    const id = ids[middle];
    if (left === undefined || right === undefined || id === undefined)
      throw new Error('a logical chain has a missing term');
    return this.#nested({ kind: 'call', id, function: name, target: undefined, args: [left, right] }, 0, [left, right]);
  }

  /** Parses operands and the binary operators of at least this precedence between them. */
  *#parseOperators(precedence: number): Steps<Expr> {
    const reader = this.#reader;
    if (this.#pace.isOver(EXPR_STEPS)) yield this.#pace.taken;
    let left = this.#parseLeaf() ?? (yield* this.#parseUnary());
    for (;;) {
      const found = PRECEDENCE.get(reader.token.kind) ?? 0;
      if (found < precedence) return left;
      const op = reader.take();
      const id = this.#id(op.start);
      const right = yield* this.#parseOperators(found + 1);
      left = this.#call(id, OPERATORS.get(op.kind) ?? op.kind, [left, right]);
    }
  }

  /** Parses a name or literal without continuation. A fast path: most operands are such. */
  #parseLeaf(): Expr | undefined {
    const reader = this.#reader;
    const { kind } = reader.token;
    if (MEMBER_START.has(reader.peek(1) ?? '')) return undefined;
    if (kind === 'IDENTIFIER') return this.#parseName(undefined);
    return LITERAL_KINDS.has(kind) ? this.#parseLiteral() : undefined;
  }

  *#parseUnary(): Steps<Expr> {
    const reader = this.#reader;
    const op = reader.token;
    if (op.kind !== '!' && op.kind !== '-') return yield* this.#parseMember();
    const next = reader.peek(1);
    if (op.kind === '-' && (next === 'NUM_INT' || next === 'NUM_FLOAT')) return yield* this.#parseMember();
    let count = 0;
    for (; reader.is(op.kind); count++) reader.take();
    const id = count % 2 === 1 ? this.#id(op.start) : undefined;
    const operand = yield* this.#parseMember();
    if (id === undefined) return operand;
    const name = op.kind === '!' ? '!_' : '-_';
    return this.#nested({ kind: 'call', id, function: name, target: undefined, args: [operand] }, 0, [operand]);
  }

  *#parseMember(): Steps<Expr> {
    const reader = this.#reader;
    let expr = yield* this.#parsePrimary();
    for (;;) {
      if (reader.is('.')) {
        expr = yield* this.#parseSelect(expr);
      } else if (reader.is('[')) {
        const open = reader.open();
        const id = this.#id(open.start);
        reader.sync(INDEX_START);
        const isOptional = reader.accept('?') !== undefined;
        const index = yield* this.#parseExpr();
        reader.close(']');
        expr = this.#call(id, isOptional ? '_[?_]' : '_[_]', [expr, index]);
      } else {
        return expr;
      }
    }
  }

  *#parseSelect(operand: Expr): Steps<Expr> {
    const reader = this.#reader;
    const dot = reader.take();
    const isOptional = reader.accept('?') !== undefined;
    const nameToken = reader.token;
    const field = this.#parseFieldName();
    if (!isOptional && nameToken.kind === 'IDENTIFIER' && reader.is('(')) {
      const open = reader.open();
      const id = this.#id(open.start);
      return this.#callOrMacro(id, field, operand, yield* this.#parseArguments());
    }
    if (isOptional) {
      const id = this.#id(dot.start);
      const name: Expr = { kind: 'literal', id: this.#id(nameToken.start), value: field };
      return this.#call(id, '_?._', [operand, name]);
    }
    return this.#nested({ kind: 'select', id: this.#id(dot.start), operand, field, testOnly: false }, 1, [operand]);
  }

  #parseFieldName(): string {
    const reader = this.#reader;
    const { token } = reader;
    if (token.kind === 'IDENTIFIER') return reader.text(reader.take());
    if (token.kind === 'ESC_IDENTIFIER') {
      reader.take();
      if (!this.#options.escapedIdentifiers) reader.problem(token.start, "unsupported syntax: '`'");
      return this.#source.slice(token.start + 1, token.end - 1);
    }
    const text = reader.text(token);
    if (token.kind === 'true' || token.kind === 'false' || token.kind === 'null') {
      return reader.syntaxError(`mismatched input '${text}' expecting IDENTIFIER`);
    }
    return reader.syntaxError(`no viable alternative at input '.${token.kind === '<EOF>' ? '' : text}'`);
  }

  /** Parses the arguments of a call after the opening bracket. */
  *#parseArguments(): Steps<Expr[]> {
    const reader = this.#reader;
    const args: Expr[] = [];
    reader.sync(ARGUMENT_START);
    if (!reader.is(')')) {
      do args.push(yield* this.#parseExpr());
      while (reader.accept(','));
    }
    reader.close(')');
    return args;
  }

  *#parsePrimary(): Steps<Expr> {
    const reader = this.#reader;
    reader.sync(PRIMARY_START);
    switch (reader.token.kind) {
      case '(': {
        reader.open();
        const expr = yield* this.#parseExpr();
        reader.close(')');
        return expr;
      }
      case '[':
        return yield* this.#parseList();
      case '{':
        return yield* this.#parseMap();
      case '.':
      case 'IDENTIFIER':
        return yield* this.#parseIdent();
      default:
        return this.#parseLiteral();
    }
  }

  *#parseIdent(): Steps<Expr> {
    const reader = this.#reader;
    const dot = reader.accept('.');
    if (!reader.is('IDENTIFIER'))
      reader.syntaxError(`no viable alternative at input '.${reader.is('<EOF>') ? '' : reader.text(reader.token)}'`);
    const message = this.#messageName();
    if (message !== undefined) return yield* this.#parseStruct(dot === undefined ? message : `.${message}`);
    if (reader.peek(1) !== '(') return this.#parseName(dot?.start);
    const name = this.#takeName(dot?.start);
    const open = reader.open();
    const id = this.#id(open.start);
    return this.#callOrMacro(id, name, undefined, yield* this.#parseArguments());
  }

  #parseName(dotOffset: number | undefined): Expr {
    const { start } = this.#reader.token;
    const name = this.#takeName(dotOffset);
    return { kind: 'ident', id: this.#id(start), name };
  }

  /** Takes a name, with a dot before it if there was one. */
  #takeName(dotOffset: number | undefined): string {
    const reader = this.#reader;
    const token = reader.take();
    const word = reader.text(token);
    if (RESERVED.has(word)) reader.problem(dotOffset ?? token.start, `reserved identifier: ${word}`);
    return dotOffset === undefined ? word : `.${word}`;
  }

  /** Takes the name of a message literal (`a.b.C{`) if one starts here; the next token is then `{`. */
  #messageName(): string | undefined {
    const reader = this.#reader;
    let last = 0;
    while (reader.peek(last + 1) === '.' && reader.peek(last + 2) === 'IDENTIFIER') last += 2;
    if (reader.peek(last + 1) !== '{') return undefined;
    let name = '';
    for (let i = 0; i <= last; i++) name += reader.text(reader.take());
    return name;
  }

  *#parseStruct(typeName: string): Steps<Expr> {
    const reader = this.#reader;
    const open = reader.open();
    const id = this.#id(open.start);
    const fields: StructField[] = [];
    for (let more = this.#startEntries(STRUCT_ENTRIES); more; more = this.#nextEntry(STRUCT_ENTRIES)) {
      const optional = reader.accept('?') !== undefined;
      const name = this.#parseFieldName();
      const colon = reader.expect(':');
      const fieldId = this.#id(colon.start);
      fields.push({ id: fieldId, name, value: yield* this.#parseExpr(), optional });
    }
    reader.close('}');
    const values = fields.map(({ value }) => value);
    return this.#nested({ kind: 'struct', id, typeName, fields }, 0, values);
  }

  *#parseMap(): Steps<Expr> {
    const reader = this.#reader;
    const open = reader.open();
    const id = this.#id(open.start);
    const entries: MapEntry[] = [];
    for (let more = this.#startEntries(MAP_ENTRIES); more; more = this.#nextEntry(MAP_ENTRIES)) {
      const optional = reader.accept('?') !== undefined;
      const key = yield* this.#parseExpr();
      const colon = reader.expect(':');
      const entryId = this.#id(colon.start);
      entries.push({ id: entryId, key, value: yield* this.#parseExpr(), optional });
    }
    reader.close('}');
    const parts = entries.flatMap(({ key, value }) => [key, value]);
    return this.#nested({ kind: 'map', id, entries }, 0, parts);
  }

  *#parseList(): Steps<Expr> {
    const reader = this.#reader;
    const open = reader.open();
    const id = this.#id(open.start);
    const elements: Expr[] = [];
    const optionalIndices: number[] = [];
    for (let more = this.#startEntries(LIST_ENTRIES); more; more = this.#nextEntry(LIST_ENTRIES)) {
      if (reader.accept('?')) optionalIndices.push(elements.length);
      elements.push(yield* this.#parseExpr());
    }
    reader.close(']');
    return this.#nested({ kind: 'list', id, elements, optionalIndices }, 0, elements);
  }

  /** Reports whether a first entry follows. Takes a comma without entry. */
  #startEntries({ canStart, canOpen }: typeof LIST_ENTRIES): boolean {
    this.#reader.sync(canOpen);
    return this.#reader.accept(',') === undefined && canStart.has(this.#reader.token.kind);
  }

  /** Reports whether a further entry follows. Takes a trailing comma. */
  #nextEntry({ canStart, canFollow }: typeof LIST_ENTRIES): boolean {
    this.#reader.sync(canFollow);
    return this.#reader.accept(',') !== undefined && canStart.has(this.#reader.token.kind);
  }

  #parseLiteral(): Expr {
    const reader = this.#reader;
    const start = reader.token;
    const sign = reader.accept('-') === undefined ? '' : '-';
    const { token } = reader;
    const value = literalValue(reader, start, sign, token);
    reader.take();
    return { kind: 'literal', id: this.#id(start.start), value };
  }

  #call(id: number, name: string, args: readonly Expr[]): Expr {
    return this.#nested({ kind: 'call', id, function: name, target: undefined, args }, 1, args);
  }

  #callOrMacro(id: number, name: string, target: Expr | undefined, args: readonly Expr[]): Expr {
    const children = [target, ...args];
    const macro = this.#options.macro(name, args.length, target !== undefined);
    if (macro !== undefined) {
      try {
        const factory = new MacroExprFactory(this.ids, this.ids.offset(id));
        const expanded = macro.expand(factory, target, args);
        if (expanded !== undefined) return this.#nested(expanded, 1, children);
      } catch (error) {
        if (!(error instanceof MacroError)) throw error;
        this.#reader.problem(this.ids.offset(error.exprId), error.message);
      }
    }
    return this.#nested({ kind: 'call', id, function: name, target, args }, target === undefined ? 0 : 1, children);
  }
}
