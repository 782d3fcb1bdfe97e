import { Pace, type Steps } from '../steps/steps.ts';
import type { CompileIssue, Source } from './source.ts';

/** A token. The kind is the literal text for punctuation and keywords, and the name in the grammar for others. */
export interface Token {
  readonly kind: string;
  /** Code point offsets. */
  readonly start: number;
  readonly end: number;
}

const PUNCTUATION = new Set('[]{}().,-!?:+*/%<>'.split(''));
const DOUBLE_PUNCTUATION = new Set(['==', '!=', '<=', '>=', '&&', '||']);
const KEYWORDS = new Set(['in', 'true', 'false', 'null']);
const SIMPLE_ESCAPES = new Set([...'abfnrtv"\'\\?`'].map((char) => char.charCodeAt(0)));

const code = (char: string) => char.charCodeAt(0);
const isDigit = (c: number) => c >= 48 && c <= 57;
const isHex = (c: number) => isDigit(c) || (c >= 65 && c <= 70) || (c >= 97 && c <= 102);
const isOctal = (c: number) => c >= 48 && c <= 55;
const isIdentStart = (c: number) => (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === 95;
const isIdentPart = (c: number) => isIdentStart(c) || isDigit(c);
const isSpace = (c: number) => c === 9 || c === 10 || c === 12 || c === 13 || c === 32;
const isEscapedIdentPart = (c: number) => isIdentPart(c) || c === 46 || c === 45 || c === 47 || c === 32;

/** Splits an expression into tokens, the last of kind `<EOF>`. Characters that start no token are reported and skipped. */
export function* tokenize(source: Source, report: (issue: CompileIssue) => void): Steps<Token[]> {
  const pace = new Pace();
  const chars = source.codePoints;
  const tokens: Token[] = [];
  let at = 0;
  const peek = (offset: number) => chars[offset] ?? -1;
  const fail = (start: number, end: number) => {
    const text = source.slice(start, end).replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r');
    report({ message: `Syntax error: token recognition error at: '${text}'`, location: source.location(start) });
    at = Math.max(end, start + 1);
  };
  const emit = (kind: string, end: number) => {
    tokens.push({ kind, start: at, end });
    at = end;
  };
  while (at < chars.length) {
    const start = at;
    const c = peek(at);
    if (pace.isOver(8)) yield pace.taken;
    if (isSpace(c)) {
      at++;
    } else if (c === 47 && peek(at + 1) === 47) {
      while (at < chars.length && peek(at) !== 10) at++;
    } else if (isDigit(c) || (c === 46 && isDigit(peek(at + 1)))) {
      const [kind, end] = scanNumber(peek, at);
      emit(kind, end);
    } else if (c === 34 || c === 39 || stringPrefix(peek, at) > 0) {
      const scanned = scanString(peek, at, chars.length);
      const prefix = stringPrefix(peek, at);
      // The prefix of an invalid string may still be a name: the longest matching token counts.
      if (scanned.end === undefined && prefix > 0) emit('IDENTIFIER', at + prefix);
      else if (scanned.end === undefined) fail(start, Math.min(scanned.failedAt + 1, chars.length));
      else emit(scanned.isBytes ? 'BYTES' : 'STRING', scanned.end);
    } else if (isIdentStart(c)) {
      let end = at + 1;
      while (isIdentPart(peek(end))) end++;
      const text = source.slice(start, end);
      emit(KEYWORDS.has(text) ? text : 'IDENTIFIER', end);
    } else if (c === 96) {
      let end = at + 1;
      while (isEscapedIdentPart(peek(end))) end++;
      if (peek(end) === 96 && end > at + 1) emit('ESC_IDENTIFIER', end + 1);
      else fail(start, Math.min(end + 1, chars.length));
    } else {
      const two = source.slice(at, at + 2);
      const one = two.slice(0, 1);
      if (DOUBLE_PUNCTUATION.has(two)) emit(two, at + 2);
      else if (PUNCTUATION.has(one)) emit(one, at + 1);
      else if (one === '&' || one === '|' || one === '=') fail(start, Math.min(start + 2, chars.length));
      else fail(start, start + 1);
    }
  }
  tokens.push({ kind: '<EOF>', start: chars.length, end: chars.length });
  return tokens;
}

type Peek = (offset: number) => number;

function scanNumber(peek: Peek, start: number): [kind: string, end: number] {
  let end = start;
  if (peek(start) === 48 && peek(start + 1) === code('x') && isHex(peek(start + 2))) {
    end += 2;
    while (isHex(peek(end))) end++;
    return integerSuffix(peek, end);
  }
  while (isDigit(peek(end))) end++;
  let isFloat = false;
  if (peek(end) === 46 && isDigit(peek(end + 1))) {
    isFloat = true;
    end++;
    while (isDigit(peek(end))) end++;
  }
  if (peek(end) === 101 || peek(end) === 69) {
    const sign = peek(end + 1) === 43 || peek(end + 1) === 45 ? 1 : 0;
    if (isDigit(peek(end + 1 + sign))) {
      isFloat = true;
      end += 1 + sign;
      while (isDigit(peek(end))) end++;
    }
  }
  return isFloat ? ['NUM_FLOAT', end] : integerSuffix(peek, end);
}

function integerSuffix(peek: Peek, end: number): [kind: string, end: number] {
  return peek(end) === 117 || peek(end) === 85 ? ['NUM_UINT', end + 1] : ['NUM_INT', end];
}

/** Returns the length of the prefix `b`, `r` or `br` before a quote, or 0 if there is none. */
function stringPrefix(peek: Peek, start: number): number {
  const lower = (offset: number) => peek(offset) | 32;
  let length = 0;
  if (lower(start) === code('b')) length++;
  if (lower(start + length) === code('r')) length++;
  const quote = peek(start + length);
  return length > 0 && (quote === 34 || quote === 39) ? length : 0;
}

interface ScannedString {
  readonly isBytes: boolean;
  readonly end: number | undefined;
  readonly failedAt: number;
}

function scanString(peek: Peek, start: number, end: number): ScannedString {
  let at = start;
  const isBytes = (peek(at) | 32) === code('b');
  if (isBytes) at++;
  const isRaw = (peek(at) | 32) === code('r');
  if (isRaw) at++;
  const quote = peek(at);
  const isTriple = peek(at + 1) === quote && peek(at + 2) === quote;
  at += isTriple ? 3 : 1;
  while (at < end) {
    const c = peek(at);
    if (c === quote && (!isTriple || (peek(at + 1) === quote && peek(at + 2) === quote))) {
      return { isBytes, end: at + (isTriple ? 3 : 1), failedAt: at };
    }
    if (!isTriple && (c === 10 || c === 13)) break;
    if (c === 92 && !isRaw) {
      const length = escapeLength(peek, at);
      if (length === 0) {
        at++;
        break;
      }
      at += length;
    } else {
      at++;
    }
  }
  // An unterminated triple quote still starts with an empty string.
  if (isTriple) return { isBytes, end: start + (isBytes ? 1 : 0) + (isRaw ? 1 : 0) + 2, failedAt: at };
  return { isBytes, end: undefined, failedAt: at };
}

function escapeLength(peek: Peek, at: number): number {
  const c = peek(at + 1);
  if (SIMPLE_ESCAPES.has(c)) return 2;
  const run = (count: number, accept: (c: number) => boolean) => {
    for (let i = 0; i < count; i++) if (!accept(peek(at + 2 + i))) return 0;
    return count + 2;
  };
  if (c === code('x') || c === code('X')) return run(2, isHex);
  if (c === code('u')) return run(4, isHex);
  if (c === code('U')) return run(8, isHex);
  if (c >= 48 && c <= 51) return isOctal(peek(at + 2)) && isOctal(peek(at + 3)) ? 4 : 0;
  return 0;
}
