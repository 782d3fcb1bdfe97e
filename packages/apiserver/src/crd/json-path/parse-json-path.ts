/** `[2]`, `[1:3]`, `[-1:]`, `[*]`. */
export interface SliceNode {
  readonly type: 'slice';
  readonly start?: number;
  readonly end?: number;
  readonly step: number;
  /** A single index, whose slice ends at the next one. */
  readonly single: boolean;
}

export type JsonPathNode =
  | SliceNode
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'literal'; readonly value: number | boolean }
  | { readonly type: 'wildcard' | 'recursive' }
  | { readonly type: 'union'; readonly paths: readonly (readonly JsonPathNode[])[] }
  | {
      readonly type: 'filter';
      readonly left: readonly JsonPathNode[];
      readonly operator: string;
      readonly right: readonly JsonPathNode[];
    };

/** Bounds the nesting of filters and unions. */
const maxDepth = 20;

/** Parses a path without surrounding braces. Throws an Error with upstream's message when it is invalid. */
export const parseJsonPath = (path: string): JsonPathNode[] => new Parser(path, 0).parse();

const dictKey = /^'([^']*)'$/;
const sliceParts = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const terminators = ' \t\r\n.,[]$@{}';
const isWord = (char: string): boolean => /[_\p{L}\p{Nd}]/u.test(char);

class Parser {
  readonly #text: string;
  readonly #depth: number;
  readonly #nodes: JsonPathNode[] = [];
  #at = 0;

  constructor(text: string, depth: number) {
    if (depth > maxDepth) throw new Error('path is nested too deeply');
    this.#text = text;
    this.#depth = depth;
  }

  parse(): JsonPathNode[] {
    // Text after a closing brace is ignored: it would be another path, whose result is not printed.
    while (this.#at < this.#text.length && this.#text[this.#at] !== '}') this.#next();
    return this.#nodes;
  }

  #nested(text: string): JsonPathNode[] {
    return new Parser(text, this.#depth + 1).parse();
  }

  #next(): void {
    const char = this.#text[this.#at]!;
    if (this.#text.startsWith('[?(', this.#at)) this.#filter();
    else if (this.#text.startsWith('..', this.#at)) this.#recursive();
    else if (char === '\r' || char === '\n') throw new Error('unclosed action');
    else if (' @$'.includes(char)) this.#at++;
    else if (char === '[') this.#bracket();
    else if (char === '"' || char === "'") this.#quoted(char);
    else if (char === '.') {
      this.#at++;
      this.#field();
    } else if (/[-+\d]/.test(char)) this.#number();
    else if (isWord(char)) this.#boolean();
    else throw new Error(`unrecognized character in action: ${char}`);
  }

  #boolean(): void {
    const word = this.#upTo((next) => terminators.includes(next));
    if (word !== 'true' && word !== 'false') throw new Error(`unrecognized identifier ${word}`);
    this.#nodes.push({ type: 'literal', value: word === 'true' });
  }

  #upTo(ends: (char: string) => boolean): string {
    const start = this.#at;
    while (this.#at < this.#text.length && !ends(this.#text[this.#at]!)) this.#at++;
    return this.#text.slice(start, this.#at);
  }

  #field(): void {
    let name = '';
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at]!;
      if (char === '\\') {
        name += this.#text[this.#at + 1] ?? '';
        this.#at += 2;
      } else if (terminators.includes(char)) break;
      else {
        name += char;
        this.#at++;
      }
    }
    this.#nodes.push(name === '*' ? { type: 'wildcard' } : { type: 'field', name });
  }

  #recursive(): void {
    if (this.#nodes.at(-1)?.type === 'recursive') throw new Error('invalid multiple recursive descent');
    this.#at += 2;
    this.#nodes.push({ type: 'recursive' });
    if (isWord(this.#text[this.#at] ?? '')) this.#field();
  }

  #number(): void {
    const start = this.#at++;
    this.#upTo((char) => char !== '.' && !/\d/.test(char));
    const text = this.#text.slice(start, this.#at);
    const value = Number(text);
    if (!/\d/.test(text) || Number.isNaN(value)) throw new Error(`cannot parse number ${text}`);
    this.#nodes.push({ type: 'literal', value });
  }

  #quoted(quote: string): void {
    let text = '';
    for (this.#at++; ; this.#at++) {
      const char = this.#text[this.#at];
      if (char === undefined || char === '\n') throw new Error('unterminated quoted string');
      if (char === quote) break;
      if (char === '\\') this.#at++;
      text += this.#text[this.#at] ?? '';
    }
    this.#at++;
    this.#nodes.push({ type: 'text', value: text });
  }

  #bracket(): void {
    this.#at++;
    const inside = this.#upTo((char) => char === ']' || char === '\n');
    if (this.#text[this.#at] !== ']') throw new Error('unterminated array');
    this.#at++;
    const parts = inside.split(',');
    if (parts.length > 1) {
      this.#nodes.push({ type: 'union', paths: parts.map((part) => this.#nested(`[${part.trim()}]`)) });
      return;
    }
    const [, key] = dictKey.exec(inside) ?? [];
    if (key !== undefined) this.#nodes.push(...this.#nested(`.${key}`));
    else this.#nodes.push(sliceOf(inside === '*' ? ':' : inside));
  }

  #filter(): void {
    this.#at += '[?('.length;
    const inside = this.#filterText();
    this.#at++;
    if (this.#text[this.#at++] !== ']') throw new Error('unclosed array expect ]');
    const [, left, operator, right] = /^([^!<>=]+)([!<>=]+)(.+)$/.exec(inside) ?? [];
    this.#nodes.push(
      left === undefined || operator === undefined || right === undefined
        ? { type: 'filter', left: this.#nested(inside), operator: 'exists', right: [] }
        : { type: 'filter', left: this.#nested(left), operator, right: this.#nested(right) },
    );
  }

  /** Reads up to the closing parenthesis outside of quotes. */
  #filterText(): string {
    let quote = '';
    let closed = false;
    return this.#upTo((char) => {
      const at = this.#at;
      if (char === '\n' || at === this.#text.length - 1) throw new Error('unterminated filter');
      if (char === '"' || char === "'") {
        if (quote === '') quote = char;
        else if (char === quote && this.#text[at - 1] !== '\\') closed = true;
      }
      return char === ')' && closed === (quote !== '');
    });
  }
}

function sliceOf(text: string): SliceNode {
  const match = sliceParts.exec(text);
  if (!match) throw new Error(`invalid array index ${text}`);
  const numberIn = (part: string | undefined): number | undefined => {
    if (part === undefined || part === '' || part === ':') return undefined;
    const number = Number(part.replace(':', ''));
    if (!Number.isSafeInteger(number)) throw new Error(`array index ${part} is not a number`);
    return number;
  };
  const [, first, second, third] = match;
  const [start, end, step] = [numberIn(first), numberIn(second), numberIn(third)];
  return {
    type: 'slice',
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
    step: step ?? 1,
    single: second === undefined,
  };
}
