import { MAX_JSON_DEPTH } from '../json/depth.ts';
import { setOwnEntry } from '../json/own-entry.ts';
import { DecodeError } from '../schema/decode-error.ts';
import { toInt64 } from '../schema/int64.ts';
import { NumberLiteral } from '../schema/number-literal.ts';
import { itemsPerStep, type Steps } from '../steps/index.ts';
import { invalidCharacter, unexpectedEnd } from './json-syntax-error.ts';

const literals: Readonly<Record<string, readonly [word: string, value: unknown]>> = {
  t: ['true', true],
  f: ['false', false],
  n: ['null', null],
};

/** A string without escapes, surrogates and control characters, from its first character to the closing quote. */
const plainString = /[ !#-[\]-\ud7ff\ue000-\uffff]*"/y;

/**
 * Parses JSON as Go does where JSON.parse does not: integers beyond 2^53 become bigints, lone surrogates become U+FFFD, and errors have
 * Go's messages. It parses in steps, which JSON.parse cannot, but takes several times as long: `parseJson` uses it only for texts that
 * need it.
 */
export class JsonParser {
  readonly #text: string;
  readonly #keepLiterals: boolean;
  #index = 0;
  #depth = 0;
  /** The number of items parsed since the last step. */
  #items = 0;

  /** With `keepLiterals`, numbers whose spelling matters to a typed field become NumberLiterals. */
  constructor(text: string, keepLiterals: boolean) {
    this.#text = text;
    this.#keepLiterals = keepLiterals;
  }

  /** Throws JsonSyntaxError. */
  *parse(): Steps<unknown> {
    const value = yield* this.#value();
    this.#skipSpace();
    if (this.#index < this.#text.length) throw this.#invalid('after top-level value');
    return value;
  }

  *#value(): Steps<unknown> {
    const first = this.#skipSpace();
    if (first === '{' || first === '[') return yield* this.#container(first);
    return this.#scalar(first);
  }

  #scalar(first: string | undefined): unknown {
    if (first === undefined) throw unexpectedEnd();
    if (first === '"') return this.#string();
    if (first === '-' || (first >= '0' && first <= '9')) return this.#number();
    const literal = Object.hasOwn(literals, first) ? literals[first] : undefined;
    if (!literal) throw this.#invalid('looking for beginning of value');
    return this.#literal(...literal);
  }

  *#container(first: '{' | '['): Steps<unknown> {
    if (++this.#depth > MAX_JSON_DEPTH) throw this.#invalid('exceeded max depth');
    this.#index++;
    const value = yield* first === '{' ? this.#object() : this.#array();
    this.#depth--;
    return value;
  }

  /** Parses a value inside an object or array. */
  *#item(): Steps<unknown> {
    if (++this.#items >= itemsPerStep) {
      this.#items = 0;
      yield;
    }
    return yield* this.#value();
  }

  *#object(): Steps<Record<string, unknown>> {
    const object: Record<string, unknown> = {};
    if (this.#skipSpace() === '}') {
      this.#index++;
      return object;
    }
    for (;;) {
      const first = this.#skipSpace();
      if (first === undefined) throw unexpectedEnd();
      if (first !== '"') throw this.#invalid('looking for beginning of object key string');
      const key = this.#string();
      this.#expect(':', 'after object key');
      setOwnEntry(object, key, yield* this.#item());
      if (this.#expect(',}', 'after object key:value pair') === '}') return object;
    }
  }

  *#array(): Steps<unknown[]> {
    const items: unknown[] = [];
    if (this.#skipSpace() === ']') {
      this.#index++;
      return items;
    }
    for (;;) {
      items.push(yield* this.#item());
      if (this.#expect(',]', 'after array element') === ']') return items;
    }
  }

  #string(): string {
    const start = this.#index++;
    plainString.lastIndex = this.#index;
    if (plainString.test(this.#text)) {
      this.#index = plainString.lastIndex;
      return this.#text.slice(start + 1, this.#index - 1);
    }
    for (;;) {
      const character = this.#text[this.#index];
      if (character === undefined) throw unexpectedEnd();
      if (character < ' ') throw this.#invalid('in string literal');
      this.#index++;
      if (character === '"') break;
      if (character === '\\') this.#escape();
    }
    const value: unknown = JSON.parse(this.#text.slice(start, this.#index));
    // With the `u` flag, `\p{Surrogate}` matches only lone surrogates.
    return String(value).replace(/\p{Surrogate}/gu, '\ufffd');
  }

  #escape(): void {
    const kind = this.#text[this.#index];
    if (kind === undefined || !'bfnrt\\/"u'.includes(kind)) throw this.#invalid('in string escape code');
    this.#index++;
    if (kind !== 'u') return;
    for (let i = 0; i < 4; i++, this.#index++) {
      if (!/[0-9a-fA-F]/.test(this.#text[this.#index] ?? ''))
        throw this.#invalid('in \\u hexadecimal character escape');
    }
  }

  #number(): unknown {
    const start = this.#index;
    if (this.#text[this.#index] === '-') this.#index++;
    if (this.#text[this.#index] === '0') this.#index++;
    else this.#digits('in numeric literal');
    const integerEnd = this.#index;
    if (this.#text[this.#index] === '.') {
      this.#index++;
      this.#digits('after decimal point in numeric literal');
    }
    if (/[eE]/.test(this.#text[this.#index] ?? '')) {
      this.#index++;
      if (/[+-]/.test(this.#text[this.#index] ?? '')) this.#index++;
      this.#digits('in exponent of numeric literal');
    }
    const text = this.#text.slice(start, this.#index);
    return this.#index === integerEnd ? this.#integer(text) : this.#real(text);
  }

  #digits(context: string): void {
    const start = this.#index;
    for (let c = this.#text[this.#index]; c !== undefined && c >= '0' && c <= '9'; ) c = this.#text[++this.#index];
    if (this.#index === start) throw this.#invalid(context);
  }

  #integer(text: string): unknown {
    const number = Number(text);
    if (Number.isSafeInteger(number)) return number;
    // Every int64 has at most 19 digits and a sign; a longer text is out of range and need not be converted to a bigint.
    return (text.length <= 20 ? toInt64(BigInt(text)) : undefined) ?? this.#real(text);
  }

  #real(text: string): unknown {
    if (this.#keepLiterals) return new NumberLiteral(text);
    const number = Number(text);
    if (Number.isFinite(number)) return number;
    throw new DecodeError(`json: cannot unmarshal number ${text} into Go value of type float64`);
  }

  #literal(word: string, value: unknown): unknown {
    for (let i = 0; i < word.length; i++, this.#index++) {
      if (this.#text[this.#index] !== word[i]) throw this.#invalid(`in literal ${word} (expecting '${word[i]}')`);
    }
    return value;
  }

  #expect(characters: string, context: string): string {
    const found = this.#skipSpace();
    if (found === undefined) throw unexpectedEnd();
    if (!characters.includes(found)) throw this.#invalid(context);
    this.#index++;
    return found;
  }

  /** Returns the next character that is not white space; undefined at the end. */
  #skipSpace(): string | undefined {
    for (;;) {
      const character = this.#text[this.#index];
      if (character !== ' ' && character !== '\n' && character !== '\r' && character !== '\t') return character;
      this.#index++;
    }
  }

  #invalid(context: string): Error {
    return invalidCharacter(this.#text, this.#index, context);
  }
}
