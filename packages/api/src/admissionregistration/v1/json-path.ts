import { quote, trim } from '@coxswain/apimachinery';

const terminator = /[ \t\r\n.,[\]$@{}]/;
const letterOrDigit = /[_\p{L}\p{Nd}]/u;
const digit = /\p{Nd}/u;
const slice = /^(-?[0-9]*)(?::(-?[0-9]*))?(?::(-?[0-9]*))?$/;
const comparison = /^([^!<>=]+)[!<>=]+(.+?)$/;

class JsonPathError extends Error {}

/**
 * Returns the error in a JSONPath template such as `{.spec.rules[0]}`, with the message of upstream's parser; undefined
 * when it is valid. The path is not evaluated.
 */
export function jsonPathProblem(template: string): string | undefined {
  try {
    new Checker(template).checkText();
    return undefined;
  } catch (error) {
    if (error instanceof JsonPathError) return error.message;
    throw error;
  }
}

/** Checks the syntax of a template without building a tree. */
class Checker {
  readonly #characters: readonly string[];
  #position = 0;

  constructor(text: string) {
    this.#characters = [...text];
  }

  /** Checks text and actions in braces, to the end. */
  checkText(): void {
    while (this.#position < this.#characters.length) if (this.#next() === '{') this.#checkAction();
  }

  #next(): string | undefined {
    return this.#characters[this.#position++];
  }

  #startsWith(text: string): boolean {
    return [...text].every((character, i) => this.#characters[this.#position + i] === character);
  }

  #skipWhile(accepts: (character: string) => boolean): string {
    const start = this.#position;
    while (this.#position < this.#characters.length && accepts(this.#characters[this.#position]!)) this.#position++;
    return this.#characters.slice(start, this.#position).join('');
  }

  /** Checks an action up to and including the closing brace. */
  #checkAction(): void {
    let afterRecursion = false;
    for (;;) {
      const wasRecursion: boolean = afterRecursion;
      afterRecursion = false;
      if (this.#startsWith('}')) {
        this.#position++;
        return;
      }
      if (this.#startsWith('[?(')) {
        this.#checkFilter();
        continue;
      }
      if (this.#startsWith('..')) {
        if (wasRecursion) throw new JsonPathError('invalid multiple recursive descent');
        this.#position += 2;
        if (letterOrDigit.test(this.#characters[this.#position] ?? '')) this.#checkField();
        else afterRecursion = true;
        continue;
      }
      const character = this.#next();
      if (character === undefined || character === '\r' || character === '\n')
        throw new JsonPathError('unclosed action');
      if (character === ' ' || character === '@' || character === '$') afterRecursion = wasRecursion;
      else if (character === '[') this.#checkArray();
      else if (character === '"' || character === "'") this.#checkQuoted(character);
      else if (character === '.') this.#checkField();
      else if (/[+-]/.test(character) || digit.test(character)) this.#checkNumber(character);
      else if (letterOrDigit.test(character)) this.#skipWhile((next) => !terminator.test(next));
      else throw new JsonPathError(`unrecognized character in action: ${unicodeName(character)}`);
    }
  }

  #checkField(): void {
    let escaped = false;
    this.#skipWhile((character) => {
      const goesOn = escaped || !terminator.test(character);
      escaped = !escaped && character === '\\';
      return goesOn;
    });
  }

  #checkNumber(first: string): void {
    const text = first + this.#skipWhile((character) => character === '.' || digit.test(character));
    if (!/^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)$/.test(text)) throw new JsonPathError(`cannot parse number ${text}`);
  }

  #checkArray(): void {
    const text = this.#skipWhile((character) => character !== ']' && character !== '\n');
    if (this.#next() !== ']') throw new JsonPathError('unterminated array');
    checkSubscript(text);
  }

  #checkFilter(): void {
    this.#position += 3;
    const start = this.#position;
    let pair: string | undefined;
    let closed = false;
    for (;;) {
      const character = this.#next();
      if (character === undefined || character === '\n') throw new JsonPathError('unterminated filter');
      if (character === '"' || character === "'") {
        if (pair === undefined) pair = character;
        else if (character === pair && this.#characters[this.#position - 2] !== '\\') closed = true;
      } else if (character === ')' && (pair === undefined) !== closed) break;
    }
    const text = this.#characters.slice(start, this.#position - 1).join('');
    if (this.#next() !== ']') throw new JsonPathError('unclosed array expect ]');
    const sides = comparison.exec(text);
    for (const part of sides ? [sides[1]!, sides[2]!] : [text]) new Checker(`{${part}}`).checkText();
  }

  #checkQuoted(end: string): void {
    const start = this.#position - 1;
    for (;;) {
      const character = this.#next();
      if (character === undefined || character === '\n') throw new JsonPathError('unterminated quoted string');
      if (character === end && this.#characters[this.#position - 2] !== '\\') break;
    }
    const text = this.#characters.slice(start, this.#position).join('');
    if (!isGoString(text.slice(1, -1), end)) throw new JsonPathError(`unquote string ${text} error invalid syntax`);
  }
}

/** Checks the text in brackets: a union of subscripts, a quoted key, or up to three numbers. */
function checkSubscript(text: string): void {
  const parts = text.split(',');
  if (parts.length > 1) {
    for (const part of parts) new Checker(`{[${trim(part)}]}`).checkText();
    return;
  }
  const key = /^'([^']*)'$/.exec(text)?.[1];
  if (key !== undefined) {
    new Checker(`{.${key}}`).checkText();
    return;
  }
  const numbers = text === '*' ? [] : slice.exec(text)?.slice(1);
  if (!numbers) throw new JsonPathError(`invalid array index ${text}`);
  for (const number of numbers) {
    if (number === '-' || Math.abs(Number(number ?? 0)) >= 2 ** 63) {
      throw new JsonPathError(`array index ${number} is not a number`);
    }
  }
}

function isGoString(text: string, quoteCharacter: string): boolean {
  const escapes = `\\\\(?:[abfnrtv\\\\${quoteCharacter}]|[0-7]{3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})`;
  return !text.includes('\\') || new RegExp(`^(?:[^\\\\${quoteCharacter}]|${escapes})*$`).test(text);
}

/** Formats a character like Go's `%#U`. */
function unicodeName(character: string): string {
  const code = character.codePointAt(0)!;
  const number = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return quote(character) === `"${character}"` || character === '"' || character === '\\'
    ? `${number} '${character}'`
    : number;
}
