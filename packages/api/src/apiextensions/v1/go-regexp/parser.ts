import { foldingCase, not, perlClasses, posixClasses, unicodeClass } from './character-class.ts';
import { type CharacterSet, GoRegexpError, type Node } from './syntax.ts';

const maxRepeat = 1000;
const maxDepth = 1000;

interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
}

const simpleEscapes: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const repetition = /^\{([0-9]+)(?:(,)([0-9]*))?\}/;
const group = /^\(\?(?:P?<([^>]*)>|([a-zA-Z-]*)([:)]))/;

/** Parses an expression as Go's regexp package reads it. Throws GoRegexpError. */
export function parseGoRegexp(pattern: string): Node {
  return new Parser(pattern).parse();
}

class Parser {
  readonly #pattern: string;
  #position = 0;
  #depth = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  parse(): Node {
    const node = this.#alternatives({ i: false, m: false, s: false });
    if (this.#position < this.#pattern.length) throw new GoRegexpError('unexpected )', this.#pattern);
    return node;
  }

  get #rest(): string {
    return this.#pattern.slice(this.#position);
  }

  #take(): string {
    const character = String.fromCodePoint(this.#pattern.codePointAt(this.#position)!);
    this.#position += character.length;
    return character;
  }

  /** To the end or to the parenthesis that closes the group. Flags set on the way hold to the end of it. */
  #alternatives(given: Flags): Node {
    let flags = given;
    const branches: Node[] = [];
    let sequence: Node[] = [];
    let repeated: string | undefined;
    while (this.#position < this.#pattern.length && this.#pattern[this.#position] !== ')') {
      const start = this.#position;
      if (this.#pattern[start] === '|') {
        this.#position++;
        branches.push({ is: 'sequence', nodes: sequence });
        sequence = [];
        repeated = undefined;
        continue;
      }
      const bounds = this.#repetition();
      if (bounds) {
        const operator = this.#pattern.slice(start, this.#position);
        const node = sequence.pop();
        if (!node)
          throw new GoRegexpError('missing argument to repetition operator', operator.replace(/\?$/, '') || '?');
        if (repeated !== undefined) {
          throw new GoRegexpError('invalid nested repetition operator', repeated + operator);
        }
        sequence.push({ is: 'repetition', node, ...bounds });
        repeated = operator;
        continue;
      }
      repeated = undefined;
      const flagsOnly = this.#rest.match(/^\(\?([a-zA-Z-]*)\)/);
      if (flagsOnly) {
        this.#position += flagsOnly[0].length;
        flags = this.#flags(flags, flagsOnly[1]!, flagsOnly[0]);
      } else sequence.push(this.#element(flags));
    }
    branches.push({ is: 'sequence', nodes: sequence });
    return branches.length === 1 ? branches[0]! : { is: 'alternatives', nodes: branches };
  }

  #repetition(): { min: number; max: number } | undefined {
    const rest = this.#rest;
    const simple = ({ '*': [0, Infinity], '+': [1, Infinity], '?': [0, 1] } as const)[rest[0] as '*'];
    const counted = simple ? null : repetition.exec(rest);
    if (!simple && !counted) return undefined;
    const min = simple ? simple[0] : Number(counted![1]);
    const max = simple ? simple[1] : counted![2] ? (counted![3] ? Number(counted![3]) : Infinity) : min;
    const length = simple ? 1 : counted![0].length;
    if (min > maxRepeat || (max !== Infinity && (max > maxRepeat || max < min))) {
      throw new GoRegexpError('invalid repeat count', rest.slice(0, length));
    }
    this.#position += length;
    if (this.#pattern[this.#position] === '?') this.#position++;
    return { min, max };
  }

  #element(flags: Flags): Node {
    const character = this.#take();
    switch (character) {
      case '(':
        return this.#group(flags);
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
        return literal(character, flags);
    }
  }

  #group(flags: Flags): Node {
    let inner = flags;
    if (this.#pattern[this.#position] === '?') {
      const start = this.#position - 1;
      const [text, name, letters] = group.exec(this.#pattern.slice(start)) ?? [];
      if (text === undefined) {
        const rest = this.#pattern.slice(start);
        if (/^\(\?P?</.test(rest)) throw new GoRegexpError('invalid named capture', rest);
        throw new GoRegexpError('invalid or unsupported Perl syntax', unsupportedGroup(rest));
      }
      if (name === undefined) inner = this.#flags(flags, letters!, text);
      else if (!/^[A-Za-z0-9_]+$/.test(name)) throw new GoRegexpError('invalid named capture', text);
      this.#position = start + text.length;
    }
    if (++this.#depth > maxDepth) throw new GoRegexpError('expression nests too deeply', this.#pattern);
    const node = this.#alternatives(inner);
    this.#depth--;
    if (this.#pattern[this.#position] !== ')') throw new GoRegexpError('missing closing )', this.#pattern);
    this.#position++;
    return node;
  }

  #flags(flags: Flags, letters: string, text: string): Flags {
    const [on = '', off, ...more] = letters.split('-');
    const known = /^[imsU]*$/.test(on) && /^[imsU]*$/.test(off ?? '') && more.length === 0;
    if (!known || off === '') {
      const at = text.search(/[^(?imsU-]|--/);
      const length = text.startsWith('--', at) ? at + 2 : at + 1;
      throw new GoRegexpError('invalid or unsupported Perl syntax', text.slice(0, length));
    }
    const value = (flag: 'i' | 'm' | 's') => (flags[flag] || on.includes(flag)) && !(off ?? '').includes(flag);
    return { i: value('i'), m: value('m'), s: value('s') };
  }

  #escape(flags: Flags): Node {
    const start = this.#position - 1;
    if (this.#position >= this.#pattern.length) {
      throw new GoRegexpError('trailing backslash at end of expression', '');
    }
    const assertion = ({ A: 'textStart', z: 'textEnd', b: 'wordBoundary', B: 'notWordBoundary' } as const)[
      this.#pattern[this.#position] as 'A'
    ];
    if (assertion) {
      this.#position++;
      return { is: 'assertion', assertion };
    }
    if (this.#pattern[this.#position] === 'Q') return this.#quoted(flags);
    const set = this.#classEscape(start, flags);
    if (set) return { is: 'characters', set };
    return literal(String.fromCodePoint(this.#characterEscape(start)), flags);
  }

  /** `\Q` up to `\E` or the end stands for itself. */
  #quoted(flags: Flags): Node {
    const start = this.#position + 1;
    const end = this.#pattern.indexOf('\\E', start);
    this.#position = end < 0 ? this.#pattern.length : end + 2;
    const text = this.#pattern.slice(start, end < 0 ? undefined : end);
    return { is: 'sequence', nodes: [...text].map((character) => literal(character, flags)) };
  }

  #classEscape(start: number, flags: Flags): CharacterSet | undefined {
    const letter = this.#pattern[this.#position] ?? '';
    const perl = perlClasses[letter.toLowerCase()];
    if (perl && /[a-zA-Z]/.test(letter)) {
      this.#position++;
      return letter === letter.toLowerCase() ? perl : not(perl);
    }
    if (letter !== 'p' && letter !== 'P') return undefined;
    const [text, braced, single] = /^[pP](?:\{(\^?[^}]*)\}|([^{]))/u.exec(this.#rest) ?? [];
    const whole = this.#pattern.slice(start, text === undefined ? undefined : this.#position + text.length);
    if (text === undefined) throw new GoRegexpError('invalid character class range', whole);
    const name = (braced ?? single)!;
    const set = unicodeClass(name.replace(/^\^/, ''));
    if (!set) throw new GoRegexpError('invalid character class range', whole);
    this.#position += text.length;
    const negated = (letter === 'P') !== name.startsWith('^');
    const folded = flags.i ? foldingCase(set) : set;
    return negated ? not(folded) : folded;
  }

  /** After the backslash: the character that the escape stands for. */
  #characterEscape(start: number): number {
    const hex = /^x(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{2}))/.exec(this.#rest);
    if (hex) {
      const code = Number.parseInt((hex[1] ?? hex[2])!, 16);
      if (code > 0x10ffff) {
        const tooFar = /^x\{0*(?:10[0-9a-fA-F]{4}|[0-9a-fA-F]{0,5})[0-9a-fA-F]/.exec(this.#rest)![0];
        throw new GoRegexpError('invalid escape sequence', `\\${tooFar}`);
      }
      this.#position += hex[0].length;
      return code;
    }
    const octal = /^(?:0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(this.#rest);
    if (octal) {
      this.#position += octal[0].length;
      return Number.parseInt(octal[0], 8);
    }
    const character = this.#take();
    const simple = Object.hasOwn(simpleEscapes, character) ? simpleEscapes[character] : undefined;
    if (simple !== undefined) return simple;
    if (character.length === 1 && character < '\x7f' && !/[A-Za-z0-9]/.test(character)) return character.charCodeAt(0);
    throw new GoRegexpError('invalid escape sequence', this.#pattern.slice(start, this.#position));
  }

  #bracketed(flags: Flags): Node {
    const start = this.#position - 1;
    const negated = this.#pattern[this.#position] === '^';
    if (negated) this.#position++;
    const sets: CharacterSet[] = [];
    for (let first = true; first || this.#pattern[this.#position] !== ']'; first = false) {
      if (this.#position >= this.#pattern.length) {
        throw new GoRegexpError('missing closing ]', this.#pattern.slice(start));
      }
      sets.push(this.#bracketItem(start, flags));
    }
    this.#position++;
    const any: CharacterSet = (code) => sets.some((set) => set(code));
    const folded = flags.i ? foldingCase(any) : any;
    return { is: 'characters', set: negated ? not(folded) : folded };
  }

  #bracketItem(bracket: number, flags: Flags): CharacterSet {
    const posix = /^\[:(\^?)([^:]*):\]/.exec(this.#rest);
    if (posix) {
      const set = Object.hasOwn(posixClasses, posix[2]!) ? posixClasses[posix[2]!] : undefined;
      if (!set) throw new GoRegexpError('invalid character class range', posix[0]);
      this.#position += posix[0].length;
      return posix[1] ? not(set) : set;
    }
    const start = this.#position;
    if (this.#pattern[start] === '\\') {
      this.#position++;
      const set = this.#classEscape(start, flags);
      if (set) return set;
      this.#position = start;
    }
    const low = this.#bracketCharacter(bracket);
    if (this.#pattern[this.#position] !== '-' || this.#pattern[this.#position + 1] === ']')
      return (code) => code === low;
    this.#position++;
    const high = this.#bracketCharacter(bracket);
    if (high < low) {
      throw new GoRegexpError('invalid character class range', this.#pattern.slice(start, this.#position));
    }
    return (code) => code >= low && code <= high;
  }

  #bracketCharacter(bracket: number): number {
    if (this.#position >= this.#pattern.length) {
      throw new GoRegexpError('missing closing ]', this.#pattern.slice(bracket));
    }
    const character = this.#take();
    if (character !== '\\') return character.codePointAt(0)!;
    if (this.#position >= this.#pattern.length) {
      throw new GoRegexpError('trailing backslash at end of expression', '');
    }
    return this.#characterEscape(this.#position - 1);
  }
}

/** Where Go stops reading a group that it does not know. */
function unsupportedGroup(rest: string): string {
  const at = rest.slice(2).search(/[^imsU-]/);
  if (at < 0) return rest;
  return rest.slice(0, at + 3);
}

function literal(character: string, flags: Flags): Node {
  const code = character.codePointAt(0)!;
  const set: CharacterSet = (other) => other === code;
  return { is: 'characters', set: flags.i ? foldingCase(set) : set };
}
