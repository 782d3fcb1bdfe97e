import type { Token } from './lexer.ts';
import { type CompileIssue, NO_LOCATION, type Source } from './source.ts';

/** Tokens in the order in which messages list them. */
const TOKEN_ORDER = (
  '== != in < <= >= > && || [ ] { } ( ) . , - ! ? : + * / % true false null ' +
  'NUM_FLOAT NUM_INT NUM_UINT STRING BYTES IDENTIFIER ESC_IDENTIFIER'
).split(' ');
/** Tokens that can start an expression. */
export const PRIMARY_START: ReadonlySet<string> = new Set(
  '[ { ( . - ! true false null NUM_FLOAT NUM_INT NUM_UINT STRING BYTES IDENTIFIER'.split(' '),
);
const BINARY_OPERATORS = new Set('== != in < <= >= > && || ? + - * / %'.split(' '));

/** Formats tokens as messages list them: one as it is, several in braces. */
function expecting(kinds: Iterable<string>): string {
  const wanted = new Set(kinds);
  const names = TOKEN_ORDER.filter((kind) => wanted.has(kind)).map((kind) =>
    /^[A-Z_]+$/.test(kind) ? kind : `'${kind}'`,
  );
  return names.length === 1 ? (names[0] ?? '') : `{${names.join(', ')}}`;
}

/** Thrown to stop parsing; the issues say why. */
export class ParseStopped extends Error {}

/** Reads tokens in sequence. After one extraneous or missing token, which is reported, reading continues. */
export class TokenReader {
  readonly #source: Source;
  readonly #tokens: readonly Token[];
  readonly #report: (issue: CompileIssue) => void;
  #at = 0;
  #openBrackets = 0;

  constructor(source: Source, tokens: readonly Token[], report: (issue: CompileIssue) => void) {
    this.#source = source;
    this.#tokens = tokens;
    this.#report = report;
  }

  /** The next token. */
  get token(): Token {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw new Error('the parser read past the end of the expression');
    return token;
  }

  /** The kind of a later token. */
  peek(distance: number): string | undefined {
    return this.#tokens[this.#at + distance]?.kind;
  }

  text(token: Token): string {
    return token.kind === '<EOF>' ? '<EOF>' : this.#source.slice(token.start, token.end);
  }

  is(kind: string): boolean {
    return this.token.kind === kind;
  }

  take(): Token {
    const { token } = this;
    this.#at++;
    return token;
  }

  accept(kind: string): Token | undefined {
    return this.is(kind) ? this.take() : undefined;
  }

  /** Takes an opening bracket; `close` takes its counterpart. */
  open(): Token {
    this.#openBrackets++;
    return this.take();
  }

  close(kind: string): void {
    this.expect(kind);
    this.#openBrackets--;
  }

  expectEnd(): void {
    if (this.is('<EOF>')) return;
    const word = this.peek(1) === '<EOF>' ? 'extraneous' : 'mismatched';
    this.syntaxError(`${word} input '${this.text(this.token)}' expecting <EOF>`);
  }

  /** Takes a token of this kind, or reports an error. */
  expect(kind: string): Token {
    if (this.is(kind)) return this.take();
    const { token } = this;
    if (this.peek(1) === kind) {
      this.#complain(`extraneous input '${this.text(token)}' expecting '${kind}'`);
      this.take();
      return this.take();
    }
    const canFollow = kind === ':' ? PRIMARY_START.has(token.kind) : this.#canEndHere();
    if (!canFollow) return this.syntaxError(`mismatched input '${this.text(token)}' expecting '${kind}'`);
    this.#complain(`missing '${kind}' at '${this.text(token)}'`);
    return { kind, start: token.start, end: token.start };
  }

  /** Reports whether the token could follow a missing closing bracket. */
  #canEndHere(): boolean {
    return this.is('<EOF>') ? this.#openBrackets === 1 : BINARY_OPERATORS.has(this.token.kind);
  }

  /** Reports an error unless the next token is one of these; an extraneous token is skipped. */
  sync(kinds: ReadonlySet<string>): void {
    if (kinds.has(this.token.kind)) return;
    const next = this.peek(1);
    const message = `input '${this.text(this.token)}' expecting ${expecting(kinds)}`;
    if (next === undefined || !kinds.has(next)) this.syntaxError(`mismatched ${message}`);
    this.#complain(`extraneous ${message}`);
    this.take();
  }

  #complain(message: string, token = this.token): void {
    const location = this.#source.text === '' ? { line: 1, column: -1 } : this.#source.location(token.start);
    this.#report({ message: `Syntax error: ${message}`, location });
  }

  /** Reports an error that parsing cannot recover from. Throws ParseStopped. */
  syntaxError(message: string, token = this.token): never {
    this.#complain(message, token);
    throw new ParseStopped();
  }

  /** Reports an error; parsing continues. */
  problem(offset: number, message: string): void {
    this.#report({ message, location: this.#source.location(offset) });
  }

  /** Reports an error without position. Throws ParseStopped. */
  stop(message: string): never {
    this.#report({ message, location: NO_LOCATION });
    throw new ParseStopped();
  }
}
