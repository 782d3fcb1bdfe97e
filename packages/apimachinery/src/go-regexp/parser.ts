import { foldingCase } from './fold-case.ts';
import { not, perlClasses, posixClasses, unicodeClass } from './named-class.ts';
import { type CharacterRange, rangeSet } from './range-set.ts';
import { type Assertion, type CharacterSet, GoRegexpError, type Node } from './syntax.ts';

const maxRepeat = 1000;
/** The maximum length of an expression. Differs from upstream: its limit is a thousand times as long, which no object can contain. */
const maxLength = 64 * 1024;
const maxDepth = 1000;

interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
  readonly U: boolean;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

export interface Parsed {
  readonly node: Node;
  /** The number of groups that capture. */
  readonly captures: number;
}

const simpleEscapes: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
]);
const simpleRepetitions: ReadonlyMap<string, Bounds> = new Map([
  ['*', { min: 0, max: Infinity }],
  ['+', { min: 1, max: Infinity }],
  ['?', { min: 0, max: 1 }],
]);
const assertions: ReadonlyMap<string, Assertion> = new Map([
  ['A', 'textStart'],
  ['z', 'textEnd'],
  ['b', 'wordBoundary'],
  ['B', 'notWordBoundary'],
]);

/** These expressions are sticky, so that matching at a position does not copy the rest of the pattern. */
const countedRepetition = /\{(0|[1-9][0-9]*)(?:(,)(0|[1-9][0-9]*)?)?\}/y;
const flagGroup = /\(\?([imsU]*)(?:-([imsU]+))?([:)])/y;
const unicodeEscape = /\\[pP](?:\{(\^?)([^}]*)\}|([^{]))/uy;
const hexEscape = /x(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{2}))/y;
const octalEscape = /0[0-7]{0,2}|[1-7][0-7]{1,2}/y;

/** Parses an expression as Go's regexp package does. Throws GoRegexpError. */
export function parseGoRegexp(pattern: string): Parsed {
  if (pattern.length > maxLength) throw new GoRegexpError('expression too large', `${pattern.slice(0, 100)}…`);
  return new Parser(pattern).parse();
}

class Parser {
  readonly #pattern: string;
  /** The product of nested counted repetitions, for nodes that contain any. */
  readonly #copies = new WeakMap<Node, number>();
  readonly #lastPosixEnd: number;
  #position = 0;
  #depth = 0;
  #captures = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
    this.#lastPosixEnd = pattern.lastIndexOf(':]');
  }

  parse(): Parsed {
    const node = this.#alternatives({ i: false, m: false, s: false, U: false });
    if (this.#position < this.#pattern.length) throw new GoRegexpError('unexpected )', this.#pattern);
    return { node, captures: this.#captures };
  }

  get #next(): string | undefined {
    return this.#pattern[this.#position];
  }

  #match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#position;
    return expression.exec(this.#pattern);
  }

  #take(): string {
    const character = String.fromCodePoint(this.#pattern.codePointAt(this.#position)!);
    this.#position += character.length;
    return character;
  }

  /** Parses up to the end or to the parenthesis that closes the group. A flag that is set inside applies to the rest of the group. */
  #alternatives(given: Flags): Node {
    let flags = given;
    const branches: Node[] = [];
    let sequence: Node[] = [];
    let repeatedFrom: number | undefined;
    while (this.#position < this.#pattern.length && this.#next !== ')') {
      const start = this.#position;
      const bounds = this.#repetition();
      if (bounds) {
        const lazy = this.#next === '?';
        if (lazy) this.#position++;
        if (repeatedFrom !== undefined) {
          throw new GoRegexpError('invalid nested repetition operator', this.#since(repeatedFrom));
        }
        const node = sequence.pop();
        if (!node) throw new GoRegexpError('missing argument to repetition operator', this.#since(start));
        sequence.push(this.#repeated(node, bounds, lazy === flags.U, start));
        repeatedFrom = start;
        continue;
      }
      repeatedFrom = undefined;
      if (this.#next === '|') {
        this.#position++;
        branches.push(this.#joined('sequence', sequence));
        sequence = [];
      } else if (this.#pattern.startsWith('(?', start) && !this.#isNamedGroup()) {
        const [inner, isGroup] = this.#flags(flags);
        if (isGroup) sequence.push(this.#group(inner));
        else flags = inner;
      } else if (this.#pattern.startsWith('\\Q', start)) sequence.push(...this.#quoted(flags));
      else sequence.push(this.#element(flags));
    }
    branches.push(this.#joined('sequence', sequence));
    return branches.length === 1 ? branches[0]! : this.#joined('alternatives', branches);
  }

  #since(start: number): string {
    return this.#pattern.slice(start, this.#position);
  }

  #joined(is: 'sequence' | 'alternatives', nodes: readonly Node[]): Node {
    const node: Node = nodes.length === 1 ? nodes[0]! : { is, nodes };
    let copies = 0;
    for (const each of nodes) copies = Math.max(copies, this.#copies.get(each) ?? 0);
    this.#copies.set(node, copies);
    return node;
  }

  #repeated(node: Node, bounds: Bounds, greedy: boolean, start: number): Node {
    const repetition: Node = { is: 'repetition', node, ...bounds, greedy };
    const counted = this.#pattern[start] === '{';
    const inner = this.#copies.get(node) ?? 0;
    const times = bounds.max === Infinity ? bounds.min : bounds.max;
    const copies = !counted ? inner : bounds.max === 0 ? 0 : times * Math.max(1, inner) || inner;
    const isMany = bounds.min >= 2 || (bounds.max >= 2 && bounds.max !== Infinity);
    if (counted && isMany && copies > maxRepeat) throw new GoRegexpError('invalid repeat count', this.#since(start));
    this.#copies.set(repetition, copies);
    return repetition;
  }

  #repetition(): Bounds | undefined {
    const simple = simpleRepetitions.get(this.#next ?? '');
    if (simple) {
      this.#position++;
      return simple;
    }
    const [text, least, comma, most] = (this.#next === '{' && this.#match(countedRepetition)) || [];
    if (text === undefined) return undefined;
    const min = Number(least);
    const max = comma === undefined ? min : most === undefined ? Infinity : Number(most);
    if (min > maxRepeat || (max !== Infinity && (max > maxRepeat || max < min))) {
      throw new GoRegexpError('invalid repeat count', text);
    }
    this.#position += text.length;
    return { min, max };
  }

  #element(flags: Flags): Node {
    const character = this.#take();
    switch (character) {
      case '(':
        return this.#capture(flags);
      case '[':
        return this.#bracketed(flags);
      case '.':
        return { is: 'characters', set: flags.s ? () => true : (code) => code !== 10 };
      case '^':
        return { is: 'assertion', assertion: flags.m ? 'lineStart' : 'textStart' };
      case '$':
        return { is: 'assertion', assertion: flags.m ? 'lineEnd' : 'textEnd' };
      case '\\':
        return this.#escape(flags);
      default:
        return literal(character.codePointAt(0)!, flags);
    }
  }

  #isNamedGroup(): boolean {
    const rest = this.#pattern.slice(this.#position, this.#position + 5);
    return /^\(\?(?:P<.|<.)/su.test(rest);
  }

  #capture(flags: Flags): Node {
    const start = this.#position - 1;
    if (this.#next === '?') {
      const end = this.#pattern.indexOf('>', start);
      if (end < 0) throw new GoRegexpError('invalid named capture', this.#pattern.slice(start));
      const name = this.#pattern.slice(this.#pattern.indexOf('<', start) + 1, end);
      this.#position = end + 1;
      if (!/^[A-Za-z0-9_]+$/.test(name)) throw new GoRegexpError('invalid named capture', this.#since(start));
    }
    const index = ++this.#captures;
    const node = this.#group(flags);
    const capture: Node = { is: 'capture', node, index };
    this.#copies.set(capture, this.#copies.get(node) ?? 0);
    return capture;
  }

  #group(flags: Flags): Node {
    if (++this.#depth > maxDepth) throw new GoRegexpError('expression nests too deeply', this.#pattern);
    const node = this.#alternatives(flags);
    this.#depth--;
    if (this.#next !== ')') throw new GoRegexpError('missing closing )', this.#pattern);
    this.#position++;
    return node;
  }

  /** Parses `(?i)` or the beginning of `(?i:…)`. Returns the flags, and whether it opens a group. */
  #flags(flags: Flags): [flags: Flags, isGroup: boolean] {
    const start = this.#position;
    const match = this.#match(flagGroup);
    if (!match) throw new GoRegexpError('invalid or unsupported Perl syntax', this.#unreadFlags(start));
    const [text, on = '', off = '', end] = match;
    this.#position += text.length;
    const value = (flag: keyof Flags) => (flags[flag] || on.includes(flag)) && !off.includes(flag);
    return [{ i: value('i'), m: value('m'), s: value('s'), U: value('U') }, end === ':'];
  }

  /** Returns the text up to the point where Go stops reading unknown flags. */
  #unreadFlags(start: number): string {
    const [text] = /^\(\?[imsU]*(?:-[imsU]*)?[\s\S]?/u.exec(this.#pattern.slice(start))!;
    return text;
  }

  #escape(flags: Flags): Node {
    const assertion = assertions.get(this.#next ?? '');
    if (assertion) {
      this.#position++;
      return { is: 'assertion', assertion };
    }
    const set = this.#classEscape(this.#position - 1, flags);
    return set ? { is: 'characters', set } : literal(this.#characterEscape(), flags);
  }

  /** Parses `\Q` up to `\E` or the end. The characters between them are literals. */
  #quoted(flags: Flags): Node[] {
    const start = this.#position + 2;
    const end = this.#pattern.indexOf('\\E', start);
    this.#position = end < 0 ? this.#pattern.length : end + 2;
    const text = this.#pattern.slice(start, end < 0 ? undefined : end);
    return Array.from(text, (character) => literal(character.codePointAt(0)!, flags));
  }

  /**
   * Parses an escape such as `\d` or `\pL` from the backslash at `start`. Returns undefined, without reading anything, for any other
   * escape.
   */
  #classEscape(start: number, flags: Flags): CharacterSet | undefined {
    const letter = this.#pattern[start + 1] ?? '';
    const perl = perlClasses.get(letter.toLowerCase());
    if (perl) {
      this.#position = start + 2;
      return named(perl, letter !== letter.toLowerCase(), flags);
    }
    if (letter !== 'p' && letter !== 'P') return undefined;
    this.#position = start;
    const match = this.#match(unicodeEscape);
    if (!match) throw new GoRegexpError('invalid character class range', this.#pattern.slice(start));
    const set = unicodeClass(match[2] ?? match[3] ?? '');
    if (!set) throw new GoRegexpError('invalid character class range', match[0]);
    this.#position += match[0].length;
    return named(set, (letter === 'P') !== (match[1] === '^'), flags);
  }

  /** Parses an escape after its backslash. Returns the character that it stands for. */
  #characterEscape(): number {
    const start = this.#position - 1;
    if (this.#next === undefined) throw new GoRegexpError('trailing backslash at end of expression', '');
    const octal = this.#match(octalEscape);
    if (octal) {
      this.#position += octal[0].length;
      return Number.parseInt(octal[0], 8);
    }
    if (this.#next === 'x') return this.#hexEscape(start);
    const character = this.#take();
    const simple = simpleEscapes.get(character);
    if (simple !== undefined) return simple;
    if (/^[\0-\x7f]$/.test(character) && !/[A-Za-z0-9]/.test(character)) return character.charCodeAt(0);
    throw new GoRegexpError('invalid escape sequence', this.#since(start));
  }

  #hexEscape(start: number): number {
    const hex = this.#match(hexEscape);
    const code = Number.parseInt(hex?.[1] ?? hex?.[2] ?? '', 16);
    if (hex && code <= 0x10ffff) {
      this.#position += hex[0].length;
      return code;
    }
    // Go's message contains all that Go read up to the first invalid character.
    const [read] = /^\\x(?:\{(?:0*(?:10[0-9a-f]{4}|[0-9a-f]{0,5}))?[\s\S]?|[^{]?[\s\S]?)/iu.exec(
      this.#pattern.slice(start),
    )!;
    throw new GoRegexpError('invalid escape sequence', read);
  }

  #bracketed(flags: Flags): Node {
    const start = this.#position - 1;
    const negated = this.#next === '^';
    if (negated) this.#position++;
    const ranges: CharacterRange[] = [];
    // By their text: a class that is repeated in the brackets is evaluated once.
    const classes = new Map<string, CharacterSet>();
    for (let first = true; first || this.#next !== ']'; first = false) {
      if (this.#position >= this.#pattern.length) {
        throw new GoRegexpError('missing closing ]', this.#pattern.slice(start));
      }
      const itemStart = this.#position;
      const set = this.#bracketClass(flags);
      if (set) classes.set(this.#since(itemStart), set);
      else ranges.push(this.#bracketRange(start));
    }
    this.#position++;
    const sets = [...classes.values()];
    if (ranges.length > 0) sets.push(named(rangeSet(ranges), false, flags));
    const any: CharacterSet = sets.length === 1 ? sets[0]! : (code) => sets.some((set) => set(code));
    return { is: 'characters', set: negated ? not(any) : any };
  }

  /** Parses a class such as `[:alpha:]` or `\d` inside brackets. Returns undefined, without reading anything, for anything else. */
  #bracketClass(flags: Flags): CharacterSet | undefined {
    const start = this.#position;
    const posixEnd = this.#pattern.startsWith('[:', start) ? this.#posixEnd(start + 2) : -1;
    if (posixEnd >= 0) {
      this.#position = posixEnd + 2;
      const [, negation, name] = /^(\^?)([\s\S]*)$/.exec(this.#pattern.slice(start + 2, posixEnd))!;
      const set = posixClasses.get(name!);
      if (!set) throw new GoRegexpError('invalid character class range', this.#since(start));
      return named(set, negation !== '', flags);
    }
    return this.#next === '\\' ? this.#classEscape(start, flags) : undefined;
  }

  #bracketRange(bracket: number): CharacterRange {
    const start = this.#position;
    const low = this.#bracketCharacter(bracket);
    let high = low;
    const after = this.#pattern[this.#position + 1];
    if (this.#next === '-' && after !== undefined && after !== ']') {
      this.#position++;
      high = this.#bracketCharacter(bracket);
      if (high < low) throw new GoRegexpError('invalid character class range', this.#since(start));
    }
    return [low, high];
  }

  /** Returns the end of the name of a POSIX class, or -1. `#lastPosixEnd` avoids repeated searches that find nothing. */
  #posixEnd(from: number): number {
    if (this.#lastPosixEnd < from) return -1;
    return this.#pattern.indexOf(':]', from);
  }

  #bracketCharacter(bracket: number): number {
    if (this.#position >= this.#pattern.length) {
      throw new GoRegexpError('missing closing ]', this.#pattern.slice(bracket));
    }
    const character = this.#take();
    return character === '\\' ? this.#characterEscape() : character.codePointAt(0)!;
  }
}

function named(set: CharacterSet, negated: boolean, flags: Flags): CharacterSet {
  const folded = flags.i ? foldingCase(set) : set;
  return negated ? not(folded) : folded;
}

function literal(code: number, flags: Flags): Node {
  return { is: 'characters', set: named((other) => other === code, false, flags) };
}
