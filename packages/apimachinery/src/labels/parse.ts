import type { Path } from '../field/index.ts';
import { labelKeyError, type Operator, operators, Requirement } from './requirement.ts';
import { Selector } from './selector.ts';

const operatorsBySymbol: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['in', 'in'],
  ['notin', 'notin'],
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['>', 'gt'],
  ['<', 'lt'],
]);

const symbols: ReadonlySet<string> = new Set(['!', '=', '==', '!=', '(', ')', ',', '<', '>']);

/** The token after the last one. */
const end = '';

/** Splits a selector into tokens, symbols and words. The last token is `end`. A zero byte ends a token, or the whole text. */
function tokenize(text: string): string[] {
  const token = /[ \t\r\n]*(?:([!=]=|[!=(),<>]|[^ \t\r\n!=(),<>\0]+)\0?)?/y;
  const tokens: string[] = [];
  for (;;) {
    const found = token.exec(text)?.[1] ?? end;
    tokens.push(found);
    if (found === end) return tokens;
  }
}

/** As keys and values, `in` and `notin` are ordinary words. */
const isIdentifier = (word: string): boolean => word !== end && !symbols.has(word);

/** Parses the tokens of a selector. */
class Parser {
  readonly #tokens: readonly string[];
  readonly #path: Path | undefined;
  #position = 0;

  constructor(text: string, path: Path | undefined) {
    this.#tokens = tokenize(text);
    this.#path = path;
  }

  #peek(): string {
    return this.#tokens[this.#position] ?? end;
  }

  #next(): string {
    const next = this.#peek();
    this.#position++;
    return next;
  }

  parse(): Requirement[] {
    const requirements: Requirement[] = [];
    if (this.#peek() === end) return requirements;
    if (!this.#startsRequirement()) throw unexpected(this.#peek(), "!, identifier, or 'end of string'");
    for (;;) {
      requirements.push(this.#requirement());
      const separator = this.#next();
      if (separator === end) return requirements;
      if (separator !== ',') throw unexpected(separator, "',' or 'end of string'");
      if (!this.#startsRequirement()) throw unexpected(this.#peek(), "identifier after ','");
    }
  }

  #startsRequirement(): boolean {
    return this.#peek() === '!' || isIdentifier(this.#peek());
  }

  #requirement(): Requirement {
    try {
      const negated = this.#peek() === '!';
      if (negated) this.#next();
      const key = this.#key();
      if (negated) return Requirement.of(key, '!', [], this.#path);
      if (this.#atEndOfRequirement()) return Requirement.of(key, 'exists', [], this.#path);
      const operator = this.#operator();
      const values = operator === 'in' || operator === 'notin' ? this.#values() : [this.#exactValue()];
      return Requirement.of(key, operator, values, this.#path);
    } catch (cause) {
      throw new Error(`unable to parse requirement: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
  }

  #atEndOfRequirement(): boolean {
    return this.#peek() === end || this.#peek() === ',';
  }

  #key(): string {
    const key = this.#next();
    if (!isIdentifier(key)) throw unexpected(key, 'identifier');
    const error = labelKeyError(key, this.#path);
    if (error) throw new Error(error.toString());
    return key;
  }

  #operator(): Operator {
    const symbol = this.#next();
    const operator = operatorsBySymbol.get(symbol);
    if (operator) return operator;
    const binary = operators.filter((name) => name !== 'exists' && name !== '!');
    throw unexpected(symbol, binary.join(', '));
  }

  #exactValue(): string {
    if (this.#atEndOfRequirement()) return '';
    const value = this.#next();
    if (!isIdentifier(value)) throw unexpected(value, 'identifier');
    return value;
  }

  /**
   * Parses the values in parentheses. Returns them sorted and without duplicates. There may be empty ones between commas and parentheses.
   */
  #values(): string[] {
    const open = this.#next();
    // Upstream has no comma in this message.
    if (open !== '(') throw new Error(`found '${open}' expected: '('`);
    const first = this.#peek();
    if (first === ')') {
      this.#next();
      return [''];
    }
    if (first !== ',' && !isIdentifier(first)) throw unexpected(first, "',', ')' or identifier");
    const values = new Set<string>();
    while (this.#peek() !== ')') this.#value(values);
    this.#next();
    return [...values].sort();
  }

  /** Parses one value and checks what follows it, or parses one comma and adds the empty values around it. */
  #value(values: Set<string>): void {
    const word = this.#next();
    const following = this.#peek();
    if (word === ',') {
      if (values.size === 0 || following === ',' || following === ')') values.add('');
    } else if (isIdentifier(word)) {
      values.add(word);
      if (following !== ',' && following !== ')') throw unexpected(following, "',' or ')'");
    } else {
      throw unexpected(word, "',', or identifier");
    }
  }
}

const unexpected = (found: string, expected: string): Error => new Error(`found '${found}', expected: ${expected}`);

/**
 * Parses `a=b,c!=d,e in (x,y),!f,g,h>1`. Throws an Error with upstream's text. The path, if given, is that of the field with the text,
 * for messages about keys and values.
 */
export function parse(text: string, path?: Path): Selector {
  return Selector.of(parseToRequirements(text, path));
}

/** Like `parse`, but returns the requirements, sorted by key. */
export function parseToRequirements(text: string, path?: Path): readonly Requirement[] {
  return Selector.of(new Parser(text, path).parse()).requirements() ?? [];
}
