import type { Expr, MapEntry, StructField } from './ast.ts';
import { ExprIds, ExprLimitError, MacroError, MacroExprFactory } from './expr-builder.ts';
import { type Token, tokenize } from './lexer.ts';
import type { MacroDeclaration } from './macro.ts';
import { type CompileIssue, NO_LOCATION, type Source } from './source.ts';
import { unquoteBytes, unquoteString } from './string-literal.ts';
import { type CelValue, Uint } from './values.ts';

/** What the parser hands on: the tree with macros expanded, and the source offset of each expression by id. */
export interface ParsedExpression {
  readonly expr: Expr;
  readonly offsets: readonly number[];
}

export interface ParserOptions {
  /** Finds the macro for a call, if there is one. */
  macro(name: string, argCount: number, isReceiver: boolean): MacroDeclaration | undefined;
  /** Whether fields may be written in backticks. */
  readonly escapedIdentifiers: boolean;
}

const MAX_CODE_POINTS = 100_000;
const MAX_DEPTH = 250;

const RELATIONS = new Set(['<', '<=', '>=', '>', '==', '!=', 'in']);
const SUMS = new Set(['+', '-']);
const PRODUCTS = new Set(['*', '/', '%']);
const OPERATORS: Readonly<Record<string, string>> = { in: '@in' };
const RESERVED = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(
    ' ',
  ),
);
/** Tokens in the order in which messages list them. */
const TOKEN_ORDER = (
  '== != in < <= >= > && || [ ] { } ( ) . , - ! ? : + * / % true false null ' +
  'NUM_FLOAT NUM_INT NUM_UINT STRING BYTES IDENTIFIER ESC_IDENTIFIER'
).split(' ');
/** What an expression can start with. */
const PRIMARY_START = new Set(
  '[ { ( . - ! true false null NUM_FLOAT NUM_INT NUM_UINT STRING BYTES IDENTIFIER'.split(' '),
);
const INDEX_START = new Set([...PRIMARY_START, '?']);
const ARGUMENT_START = new Set([...PRIMARY_START, ')']);
const FIELD_START = new Set(['IDENTIFIER', 'ESC_IDENTIFIER']);
const BINARY_OPERATORS = new Set('== != in < <= >= > && || ? + - * / %'.split(' '));

/** Tokens as messages list them: one as it is, several in braces. */
function expecting(kinds: Iterable<string>): string {
  const wanted = new Set(kinds);
  const names = TOKEN_ORDER.filter((kind) => wanted.has(kind)).map((kind) =>
    /^[A-Z_]+$/.test(kind) ? kind : `'${kind}'`,
  );
  return names.length === 1 ? (names[0] ?? '') : `{${names.join(', ')}}`;
}

/** Parsing stopped; the issues say why. */
class ParseStopped extends Error {}

/**
 * Parses an expression. Returns undefined if there are syntax errors, which go to `report`.
 * Depth and size are bounded, so that later recursion over the tree is safe.
 */
export function parse(
  source: Source,
  options: ParserOptions,
  report: (issue: CompileIssue) => void,
): ParsedExpression | undefined {
  if (source.codePoints.length > MAX_CODE_POINTS) {
    const message = `expression code point size exceeds limit: size: ${source.codePoints.length}, limit ${MAX_CODE_POINTS}`;
    report({ message, location: NO_LOCATION });
    return undefined;
  }
  let failed = false;
  const reportAndFail = (issue: CompileIssue) => {
    failed = true;
    report(issue);
  };
  const tokens = tokenize(source, reportAndFail);
  const parser = new Parser(source, tokens, options, reportAndFail);
  try {
    const expr = parser.parseStart();
    return failed ? undefined : { expr, offsets: parser.ids.offsets };
  } catch (error) {
    if (error instanceof ParseStopped) return undefined;
    if (!(error instanceof ExprLimitError)) throw error;
    report({ message: 'expression size exceeds limit after macro expansion', location: NO_LOCATION });
    return undefined;
  }
}

class Parser {
  readonly ids = new ExprIds();
  private readonly source: Source;
  private readonly tokens: readonly Token[];
  private readonly options: ParserOptions;
  private readonly report: (issue: CompileIssue) => void;
  private at = 0;
  private openBrackets = 0;
  private exprDepth = 0;
  /** How deep operators and selections nest below an expression, by id. */
  private readonly nesting: number[] = [];

  constructor(source: Source, tokens: readonly Token[], options: ParserOptions, report: (issue: CompileIssue) => void) {
    this.source = source;
    this.tokens = tokens;
    this.options = options;
    this.report = report;
  }

  parseStart(): Expr {
    const expr = this.parseExpr();
    if (this.token.kind !== '<EOF>') {
      const next = this.tokens[this.at + 1];
      const word = next?.kind === '<EOF>' ? 'extraneous' : 'mismatched';
      this.syntaxError(`${word} input '${this.text(this.token)}' expecting <EOF>`);
    }
    return expr;
  }

  private get token(): Token {
    const token = this.tokens[this.at];
    if (token === undefined) throw new Error('the parser read past the end of the expression');
    return token;
  }

  private text(token: Token): string {
    return token.kind === '<EOF>' ? '<EOF>' : this.source.slice(token.start, token.end);
  }

  private is(kind: string): boolean {
    return this.token.kind === kind;
  }

  private take(): Token {
    const token = this.token;
    this.at++;
    return token;
  }

  private accept(kind: string): Token | undefined {
    return this.is(kind) ? this.take() : undefined;
  }

  /** Takes a token of the kind. A token too many or one missing is reported, and parsing goes on. */
  private expect(kind: string): Token {
    if (this.is(kind)) return this.take();
    const { token } = this;
    if (this.tokens[this.at + 1]?.kind === kind) {
      this.complain(`extraneous input '${this.text(token)}' expecting '${kind}'`);
      this.take();
      return this.take();
    }
    const canFollow = kind === ':' ? PRIMARY_START.has(token.kind) : this.canEndHere();
    if (!canFollow) return this.syntaxError(`mismatched input '${this.text(token)}' expecting '${kind}'`);
    this.complain(`missing '${kind}' at '${this.text(token)}'`);
    return { kind, start: token.start, end: token.start };
  }

  /** Whether the token could stand right after a closing bracket that is missing. */
  private canEndHere(): boolean {
    return this.is('<EOF>') ? this.openBrackets === 1 : BINARY_OPERATORS.has(this.token.kind);
  }

  /** Makes sure that the token is one of those that can come next. A token too many is reported and skipped. */
  private sync(kinds: ReadonlySet<string>): void {
    if (kinds.has(this.token.kind)) return;
    const next = this.tokens[this.at + 1]?.kind;
    const message = `input '${this.text(this.token)}' expecting ${expecting(kinds)}`;
    if (next === undefined || !kinds.has(next)) this.syntaxError(`mismatched ${message}`);
    this.complain(`extraneous ${message}`);
    this.take();
  }

  private complain(message: string, token = this.token): void {
    const location = this.source.text === '' ? { line: 1, column: -1 } : this.source.location(token.start);
    this.report({ message: `Syntax error: ${message}`, location });
  }

  private syntaxError(message: string, token = this.token): never {
    this.complain(message, token);
    throw new ParseStopped();
  }

  private problem(offset: number, message: string): void {
    this.report({ message, location: this.source.location(offset) });
  }

  private tooDeep(message: string): never {
    this.report({ message, location: NO_LOCATION });
    throw new ParseStopped();
  }

  /** Records how deep an expression nests; `own` is 1 for operators, selections and calls of members. */
  private nested(expr: Expr, own: number, children: readonly (Expr | undefined)[]): Expr {
    let depth = 0;
    for (const child of children) depth = Math.max(depth, child === undefined ? 0 : (this.nesting[child.id] ?? 0));
    if (depth + own > MAX_DEPTH) this.tooDeep('max recursion depth exceeded');
    this.nesting[expr.id] = depth + own;
    return expr;
  }

  private id(offset: number): number {
    return this.ids.next(offset);
  }

  private parseExpr(): Expr {
    if (++this.exprDepth > MAX_DEPTH) this.tooDeep(`expression recursion limit exceeded: ${MAX_DEPTH}`);
    const condition = this.parseLogical('||');
    const op = this.accept('?');
    let result = condition;
    if (op !== undefined) {
      const id = this.id(op.start);
      const truthy = this.parseLogical('||');
      this.expect(':');
      const falsy = this.parseExpr();
      result = this.call(id, '_?_:_', [condition, truthy, falsy]);
    }
    this.exprDepth--;
    return result;
  }

  private parseLogical(op: '||' | '&&'): Expr {
    const first = this.parseLogicalOperand(op);
    if (!this.is(op)) return first;
    const terms = [first];
    const ids: number[] = [];
    for (let token = this.accept(op); token !== undefined; token = this.accept(op)) {
      terms.push(this.parseLogicalOperand(op));
      ids.push(this.id(token.start));
    }
    return this.balance(`_${op}_`, terms, ids, 0, ids.length - 1);
  }

  private parseLogicalOperand(op: '||' | '&&'): Expr {
    return op === '||' ? this.parseLogical('&&') : this.parseRelation();
  }

  /** Long chains of `&&` and `||` become balanced trees, so that they do not nest deeply. */
  private balance(name: string, terms: readonly Expr[], ids: readonly number[], low: number, high: number): Expr {
    const middle = Math.floor((low + high + 1) / 2);
    const side = (from: number, to: number, leaf: number) =>
      from > to ? terms[leaf] : this.balance(name, terms, ids, from, to);
    const left = side(low, middle - 1, middle);
    const right = side(middle + 1, high, middle + 1);
    const id = ids[middle];
    if (left === undefined || right === undefined || id === undefined) throw new Error('a logical chain lost a term');
    return this.nested({ kind: 'call', id, function: name, target: undefined, args: [left, right] }, 0, [left, right]);
  }

  // Fields, not methods: they are passed on, and a closure for each operand would cost more than parsing it.
  private readonly parseUnaryOperand = () => this.parseUnary();
  private readonly parseProduct = () => this.parseBinary(PRODUCTS, this.parseUnaryOperand);
  private readonly parseSum = () => this.parseBinary(SUMS, this.parseProduct);

  private parseRelation(): Expr {
    return this.parseBinary(RELATIONS, this.parseSum);
  }

  private parseBinary(operators: ReadonlySet<string>, operand: () => Expr): Expr {
    let left = operand();
    while (operators.has(this.token.kind)) {
      const op = this.take();
      const id = this.id(op.start);
      left = this.call(id, OPERATORS[op.kind] ?? `_${op.kind}_`, [left, operand()]);
    }
    return left;
  }

  private parseUnary(): Expr {
    const op = this.token;
    if (op.kind !== '!' && op.kind !== '-') return this.parseMember();
    const next = this.tokens[this.at + 1]?.kind;
    if (op.kind === '-' && (next === 'NUM_INT' || next === 'NUM_FLOAT')) return this.parseMember();
    let count = 0;
    for (; this.is(op.kind); count++) this.take();
    const id = count % 2 === 1 ? this.id(op.start) : undefined;
    const operand = this.parseMember();
    if (id === undefined) return operand;
    const name = op.kind === '!' ? '!_' : '-_';
    return this.nested({ kind: 'call', id, function: name, target: undefined, args: [operand] }, 0, [operand]);
  }

  private parseMember(): Expr {
    let expr = this.parsePrimary();
    for (;;) {
      if (this.is('.')) {
        expr = this.parseSelect(expr);
      } else if (this.is('[')) {
        const open = this.take();
        const id = this.id(open.start);
        this.openBrackets++;
        this.sync(INDEX_START);
        const isOptional = this.accept('?') !== undefined;
        const index = this.parseExpr();
        this.expect(']');
        this.openBrackets--;
        expr = this.call(id, isOptional ? '_[?_]' : '_[_]', [expr, index]);
      } else {
        return expr;
      }
    }
  }

  private parseSelect(operand: Expr): Expr {
    const dot = this.take();
    const isOptional = this.accept('?') !== undefined;
    const nameToken = this.token;
    const field = this.parseFieldName();
    if (!isOptional && nameToken.kind === 'IDENTIFIER' && this.is('(')) {
      const open = this.take();
      const id = this.id(open.start);
      return this.callOrMacro(id, field, operand, this.parseArguments());
    }
    if (isOptional) {
      const id = this.id(dot.start);
      const name: Expr = { kind: 'literal', id: this.id(nameToken.start), value: field };
      return this.call(id, '_?._', [operand, name]);
    }
    return this.nested({ kind: 'select', id: this.id(dot.start), operand, field, testOnly: false }, 1, [operand]);
  }

  private parseFieldName(): string {
    const token = this.token;
    if (token.kind === 'IDENTIFIER') return this.text(this.take());
    if (token.kind === 'ESC_IDENTIFIER') {
      this.take();
      if (!this.options.escapedIdentifiers) this.problem(token.start, "unsupported syntax: '`'");
      return this.source.slice(token.start + 1, token.end - 1);
    }
    const text = this.text(token);
    if (token.kind === 'true' || token.kind === 'false' || token.kind === 'null') {
      return this.syntaxError(`mismatched input '${text}' expecting IDENTIFIER`);
    }
    return this.syntaxError(`no viable alternative at input '.${token.kind === '<EOF>' ? '' : text}'`);
  }

  private parseArguments(): Expr[] {
    const args: Expr[] = [];
    this.openBrackets++;
    this.sync(ARGUMENT_START);
    if (!this.is(')')) {
      do args.push(this.parseExpr());
      while (this.accept(','));
    }
    this.expect(')');
    this.openBrackets--;
    return args;
  }

  private parsePrimary(): Expr {
    this.sync(PRIMARY_START);
    switch (this.token.kind) {
      case '(': {
        this.take();
        this.openBrackets++;
        const expr = this.parseExpr();
        this.expect(')');
        this.openBrackets--;
        return expr;
      }
      case '[':
        return this.parseList();
      case '{':
        return this.parseMap();
      case '.':
      case 'IDENTIFIER':
        return this.parseIdent();
      default:
        return this.parseLiteral();
    }
  }

  private parseIdent(): Expr {
    const dot = this.accept('.');
    const start = this.at;
    const token = this.is('IDENTIFIER')
      ? this.take()
      : this.syntaxError(`no viable alternative at input '.${this.is('<EOF>') ? '' : this.text(this.token)}'`);
    const message = this.messageName(start);
    if (message !== undefined) return this.parseStruct(dot === undefined ? message : `.${message}`);
    const word = this.text(token);
    const name = dot === undefined ? word : `.${word}`;
    if (RESERVED.has(word)) this.problem(dot?.start ?? token.start, `reserved identifier: ${word}`);
    if (!this.is('(')) return { kind: 'ident', id: this.id(token.start), name };
    const open = this.take();
    const id = this.id(open.start);
    return this.callOrMacro(id, name, undefined, this.parseArguments());
  }

  /** The name of a message literal (`a.b.C{`) if one starts at the token, after which the parser stands at `{`. */
  private messageName(start: number): string | undefined {
    let at = start;
    const kind = (offset: number) => this.tokens[offset]?.kind;
    while (kind(at + 1) === '.' && kind(at + 2) === 'IDENTIFIER') at += 2;
    if (kind(at + 1) !== '{') return undefined;
    const first = this.tokens[start];
    const last = this.tokens[at];
    if (first === undefined || last === undefined) return undefined;
    this.at = at + 1;
    const words = this.tokens.slice(start, at + 1).filter((token) => token.kind === 'IDENTIFIER');
    return words.map((token) => this.text(token)).join('.');
  }

  private parseStruct(typeName: string): Expr {
    const open = this.take();
    const id = this.id(open.start);
    const fields: StructField[] = [];
    this.parseEntries('}', FIELD_START, () => {
      const optional = this.accept('?') !== undefined;
      const name = this.parseFieldName();
      const colon = this.expect(':');
      const fieldId = this.id(colon.start);
      fields.push({ id: fieldId, name, value: this.parseExpr(), optional });
    });
    const values = fields.map(({ value }) => value);
    return this.nested({ kind: 'struct', id, typeName, fields }, 0, values);
  }

  private parseMap(): Expr {
    const open = this.take();
    const id = this.id(open.start);
    const entries: MapEntry[] = [];
    this.parseEntries('}', PRIMARY_START, () => {
      const optional = this.accept('?') !== undefined;
      const key = this.parseExpr();
      const colon = this.expect(':');
      const entryId = this.id(colon.start);
      entries.push({ id: entryId, key, value: this.parseExpr(), optional });
    });
    const parts = entries.flatMap(({ key, value }) => [key, value]);
    return this.nested({ kind: 'map', id, entries }, 0, parts);
  }

  private parseList(): Expr {
    const open = this.take();
    const id = this.id(open.start);
    const elements: Expr[] = [];
    const optionalIndices: number[] = [];
    this.parseEntries(']', PRIMARY_START, () => {
      if (this.accept('?')) optionalIndices.push(elements.length);
      elements.push(this.parseExpr());
    });
    return this.nested({ kind: 'list', id, elements, optionalIndices }, 0, elements);
  }

  /** Entries separated by commas, with an optional comma at the end. */
  private parseEntries(close: string, start: ReadonlySet<string>, parseEntry: () => void): void {
    this.openBrackets++;
    const canStart = new Set([...start, '?']);
    const canFollow = new Set([close, ',']);
    this.sync(new Set([...canStart, close, ',']));
    if (!this.accept(',')) {
      while (canStart.has(this.token.kind)) {
        parseEntry();
        this.sync(canFollow);
        if (!this.accept(',')) break;
      }
    }
    this.expect(close);
    this.openBrackets--;
  }

  private parseLiteral(): Expr {
    const start = this.token;
    const sign = this.accept('-') === undefined ? '' : '-';
    const token = this.token;
    const value = this.literalValue(start, sign, token);
    this.take();
    return { kind: 'literal', id: this.id(start.start), value };
  }

  private literalValue(start: Token, sign: string, token: Token): CelValue {
    const text = this.text(token);
    switch (token.kind) {
      case 'NUM_INT': {
        const value = sign === '' ? BigInt(text) : -BigInt(text);
        if (BigInt.asIntN(64, value) !== value) this.problem(start.start, 'invalid int literal');
        return value;
      }
      case 'NUM_UINT': {
        const value = BigInt(text.slice(0, -1));
        if (BigInt.asUintN(64, value) !== value) this.problem(start.start, 'invalid uint literal');
        return new Uint(value);
      }
      case 'NUM_FLOAT': {
        const value = Number(sign + text);
        if (!Number.isFinite(value)) this.problem(start.start, 'invalid double literal');
        return value;
      }
      case 'STRING':
        return this.unquote(token, () => unquoteString(text)) ?? '';
      case 'BYTES':
        return this.unquote(token, () => unquoteBytes(text.slice(1))) ?? '';
      case 'true':
      case 'false':
        return token.kind === 'true';
      case 'null':
        return null;
    }
    return this.syntaxError(`no viable alternative at input '${sign}${token.kind === '<EOF>' ? '' : text}'`, token);
  }

  private unquote<T>(token: Token, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      this.problem(token.start, error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  private call(id: number, name: string, args: readonly Expr[]): Expr {
    return this.nested({ kind: 'call', id, function: name, target: undefined, args }, 1, args);
  }

  private callOrMacro(id: number, name: string, target: Expr | undefined, args: readonly Expr[]): Expr {
    const macro = this.options.macro(name, args.length, target !== undefined);
    if (macro !== undefined) {
      try {
        const factory = new MacroExprFactory(this.ids, this.ids.offset(id));
        const expanded = macro.expand(factory, target, args);
        if (expanded !== undefined) return this.nested(expanded, 1, [target, ...args]);
      } catch (error) {
        if (!(error instanceof MacroError)) throw error;
        this.problem(this.ids.offset(error.exprId), error.message);
      }
    }
    return this.nested({ kind: 'call', id, function: name, target, args }, target === undefined ? 0 : 1, [
      target,
      ...args,
    ]);
  }
}
