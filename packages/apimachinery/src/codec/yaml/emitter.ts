import { JsonDepthError, MAX_JSON_DEPTH } from '../../json/depth.ts';
import { formatYamlNumber } from './go-float.ts';
import { compareKeys } from './key-order.ts';
import { resolveScalar } from './scalar.ts';

type Style = 'plain' | 'single' | 'double' | 'literal';

const bestIndent = 2;
/** Beyond this column, a line is broken at the next space. */
const bestWidth = 80;
/** A longer key is written as a complex key, on its own line. */
const maxSimpleKey = 128;
const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

const breaks = '\n\r\u0085\u2028\u2029';
const isBreak = (character: string | undefined): boolean => character !== undefined && breaks.includes(character);
const isBlank = (character: string | undefined): boolean =>
  character === undefined || character === ' ' || character === '\t';

/** Matches the characters that Go's emitter considers unprintable, among them all beyond the basic plane. */
const unprintable = /[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;

/** The styles in which a text can be written. */
interface Analysis {
  readonly multiline: boolean;
  readonly plain: boolean;
  readonly single: boolean;
  readonly literal: boolean;
}

function analyze(text: string): Analysis {
  if (text === '') return { multiline: false, plain: true, single: true, literal: false };
  const characters = [...text];
  const first = characters[0];
  const last = characters.at(-1);
  const multiline = characters.some(isBreak);
  const indicators =
    /^(?:---|\.\.\.)/.test(text) ||
    /^[#,[\]{}&*!|>'"%@`]/.test(text) ||
    (/^[?:-]/.test(text) && isBlank(characters[1])) ||
    /:(?:[ \t]|$)/.test(text.slice(1)) ||
    /[ \t\n\r\u0085\u2028\u2029\0]#/.test(text);
  const outerSpace = first === ' ' || last === ' ';
  const spaceAfterBreak = /[\n\r\u0085\u2028\u2029] /.test(text);
  const special = / [\n\r\u0085\u2028\u2029]/.test(text) || unprintable.test(text);
  return {
    multiline,
    plain: !indicators && !outerSpace && !multiline && !special,
    single: !spaceAfterBreak && !special,
    literal: last !== ' ' && !special,
  };
}

/**
 * Prints a JSON value as kubectl prints YAML: keys are sorted, lists are not indented, and strings that would be read as another type are
 * quoted. Throws JsonDepthError when the value is nested too deeply.
 */
export const stringifyYaml = (value: unknown): string => new YamlEmitter().emit(value);

class YamlEmitter {
  #output = '';
  #column = 0;
  #indent = -1;
  /** Whether the last character written was a space, or the line has just begun. */
  #whitespace = true;
  /** Whether the line has nothing but indentation and indicators so far. */
  #indention = true;

  /** Returns the document. Throws JsonDepthError when the value is nested too deeply. */
  emit(value: unknown): string {
    this.#output = '';
    this.#column = 0;
    this.#node(value, false, false, 0);
    this.#writeIndent();
    return this.#output;
  }

  #node(value: unknown, inMapping: boolean, isKey: boolean, depth: number): void {
    if (typeof value !== 'object' || value === null) this.#scalar(value, isKey);
    else if (depth === MAX_JSON_DEPTH) throw new JsonDepthError();
    else if (Array.isArray(value)) this.#sequence(value, inMapping, depth);
    else this.#mapping(value, depth);
  }

  #sequence(items: readonly unknown[], inMapping: boolean, depth: number): void {
    if (items.length === 0) {
      this.#indicator('[]', true);
      return;
    }
    // In a mapping, a list is not indented.
    const outer = this.#deeper(inMapping && !this.#indention);
    for (const item of items) {
      this.#writeIndent();
      this.#indicator('-', true, true);
      this.#node(item, false, false, depth + 1);
    }
    this.#indent = outer;
  }

  #mapping(object: object, depth: number): void {
    const entries = Object.entries(object).filter(([, value]) => value !== undefined);
    if (entries.length === 0) {
      this.#indicator('{}', true);
      return;
    }
    const outer = this.#deeper(false);
    for (const [key, value] of entries.sort(([a], [b]) => compareKeys(a, b))) {
      this.#writeIndent();
      if (isSimpleKey(key)) {
        this.#scalar(key, true);
        this.#indicator(':', false);
      } else {
        this.#indicator('?', true, true);
        this.#scalar(key, false);
        this.#writeIndent();
        this.#indicator(':', true, true);
      }
      this.#node(value, true, false, depth + 1);
    }
    this.#indent = outer;
  }

  /** Increases the indentation. Returns the previous one. */
  #deeper(indentless: boolean): number {
    const outer = this.#indent;
    if (outer < 0) this.#indent = 0;
    else if (!indentless) this.#indent = outer + bestIndent;
    return outer;
  }

  #scalar(value: unknown, isKey: boolean): void {
    if (typeof value !== 'string') {
      this.#plain(typeof value === 'number' ? formatYamlNumber(value) : String(value), false);
      return;
    }
    const style = chooseStyle(value, isKey);
    const outer = this.#indent;
    this.#indent = Math.max(outer, 0) + bestIndent;
    if (style === 'plain') this.#plain(value, !isKey);
    else if (style === 'single') this.#singleQuoted(value, !isKey);
    else if (style === 'double') this.#doubleQuoted(value, !isKey);
    else this.#literal(value);
    this.#indent = outer;
  }

  #plain(text: string, fold: boolean): void {
    if (!this.#whitespace) this.#put(' ');
    if (fold && text.length > bestWidth - this.#column) {
      const characters = [...text];
      characters.forEach((character, i) => {
        if (this.#breaksAt(characters, i) && characters[i + 1] !== ' ') this.#writeIndent();
        else this.#put(character);
      });
    } else {
      this.#put(text);
    }
    this.#whitespace = false;
    this.#indention = false;
  }

  /** Whether a long line may be broken at this character. */
  #breaksAt(characters: readonly string[], index: number): boolean {
    return characters[index] === ' ' && characters[index - 1] !== ' ' && this.#column > bestWidth;
  }

  #singleQuoted(text: string, fold: boolean): void {
    this.#indicator("'", true);
    const characters = [...text];
    let afterBreak = false;
    characters.forEach((character, i) => {
      if (isBreak(character)) {
        if (!afterBreak && character === '\n') this.#break('\n');
        this.#break(character);
        this.#indention = true;
        afterBreak = true;
      } else if (character === ' ') {
        const inner = i > 0 && i < characters.length - 1 && characters[i + 1] !== ' ';
        if (fold && inner && this.#breaksAt(characters, i)) this.#writeIndent();
        else this.#put(character);
      } else {
        if (afterBreak) this.#writeIndent();
        this.#put(character === "'" ? "''" : character);
        this.#indention = false;
        afterBreak = false;
      }
    });
    this.#put("'");
    this.#whitespace = false;
    this.#indention = false;
  }

  #doubleQuoted(text: string, fold: boolean): void {
    this.#indicator('"', true);
    const characters = [...text];
    // For every character, Go's emitter checks whether the whole text begins with a byte order mark.
    const escapeAll = text.startsWith('\ufeff');
    characters.forEach((character, i) => {
      const inner = i > 0 && i < characters.length - 1;
      if (escapeAll || mustEscape(character)) this.#put(escapeCharacter(character));
      else if (fold && inner && this.#breaksAt(characters, i)) {
        this.#writeIndent();
        if (characters[i + 1] === ' ') this.#put('\\');
      } else this.#put(character);
    });
    this.#put('"');
    this.#whitespace = false;
    this.#indention = false;
  }

  #literal(text: string): void {
    this.#indicator('|', true);
    const hint = text[0] === ' ' || isBreak(text[0]) ? String(bestIndent) : '';
    const last = text.at(-1);
    const keep = isBreak(last) && (text.length === 1 || isBreak(text.at(-2)));
    this.#put(`${hint}${isBreak(last) ? (keep ? '+' : '') : '-'}`);
    this.#break('\n');
    this.#indention = true;
    this.#whitespace = true;
    let afterBreak = true;
    for (const character of text) {
      if (isBreak(character)) {
        this.#break(character);
        this.#indention = true;
        afterBreak = true;
        continue;
      }
      if (afterBreak) this.#writeIndent();
      this.#put(character);
      this.#indention = false;
      afterBreak = false;
    }
  }

  #indicator(text: string, needsSpace: boolean, isIndention = false): void {
    if (needsSpace && !this.#whitespace) this.#put(' ');
    this.#put(text);
    this.#whitespace = false;
    this.#indention &&= isIndention;
  }

  #writeIndent(): void {
    const indent = Math.max(this.#indent, 0);
    const column = this.#column;
    if (!this.#indention || column > indent || (column === indent && !this.#whitespace)) this.#break('\n');
    if (this.#column < indent) this.#put(' '.repeat(indent - this.#column));
    this.#whitespace = true;
    this.#indention = true;
  }

  #put(text: string): void {
    this.#output += text;
    this.#column += text.length === 1 ? 1 : [...text].length;
  }

  #break(character: string): void {
    this.#output += character;
    this.#column = 0;
  }
}

const isSimpleKey = (key: string): boolean =>
  ![...key].some(isBreak) && (key.length <= maxSimpleKey / 3 || utf8Length(key) <= maxSimpleKey);

function utf8Length(text: string): number {
  let length = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    length += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return length;
}

function chooseStyle(text: string, isKey: boolean): Style {
  const { multiline, plain, single, literal } = analyze(text);
  if (isKey && multiline) return 'double';
  if (text.includes('\n')) return literal && !isKey ? 'literal' : 'double';
  // A string that would be read as another type is quoted.
  if (resolveScalar(text).tag !== 'str' || base60.test(text)) return 'double';
  if (plain && !(text === '' && isKey)) return 'plain';
  return single ? 'single' : 'double';
}

const shortEscapes: Readonly<Record<string, string>> = {
  '\0': '0',
  '\x07': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
  '\x1b': 'e',
  '"': '"',
  '\\': '\\',
  '\x85': 'N',
  '\xa0': '_',
  '\u2028': 'L',
  '\u2029': 'P',
};

const mustEscape = (character: string): boolean =>
  character === '"' || character === '\\' || isBreak(character) || unprintable.test(character);

function escapeCharacter(character: string): string {
  const short = shortEscapes[character];
  if (short !== undefined) return `\\${short}`;
  const code = character.codePointAt(0)!;
  const [letter, digits] =
    code <= 0xff ? (['x', 2] as const) : code <= 0xffff ? (['u', 4] as const) : (['U', 8] as const);
  return `\\${letter}${code.toString(16).toUpperCase().padStart(digits, '0')}`;
}
