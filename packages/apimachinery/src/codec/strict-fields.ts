import { isJsonObject } from '../json/own-entry.ts';
import type { Schema } from '../schema/schema.ts';
import { quote } from '../strconv/quote.ts';

/** The maximum number of errors reported, as upstream. */
const maxErrors = 100;

const doubleQuote = 0x22;
const colon = 0x3a;
const backslash = 0x5c;

/**
 * Whether a JSON text has a duplicate key in an object. `value` is the result of parsing it, which contains only one of the duplicates.
 * Far cheaper than findStrictErrors, which finds their paths.
 */
export function hasDuplicateKeys(json: Uint8Array, value: unknown): boolean {
  let keys = 0;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i]!;
    if (byte === colon) keys++;
    else if (byte === doubleQuote) {
      for (i++; json[i] !== doubleQuote && i < json.length; i++) if (json[i] === backslash) i++;
    }
  }
  return keys !== countKeys(value);
}

function countKeys(value: unknown): number {
  let keys = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) keys += countKeys(value[i]);
  } else if (isJsonObject(value)) {
    for (const key in value) keys += 1 + countKeys(value[key]);
  }
  return keys;
}

/**
 * What to check in a value: a schema, duplicate keys only (`untyped`), or nothing (`opaque`, for types with a JSON decoder of their own).
 */
type Scope = Schema | 'untyped' | 'opaque';

/**
 * Returns the errors of strict decoding: unknown fields and duplicate fields, in the order of the text, each once, at most a hundred.
 * Without a schema, and where unknown fields are preserved, only duplicates are reported. The text must be valid JSON.
 */
export function findStrictErrors(json: string, schema: Schema | undefined): string[] {
  const errors = new Set<string>();
  new Scanner(json, errors).value(schema ?? 'untyped', '');
  return [...errors];
}

class Scanner {
  readonly #text: string;
  readonly #errors: Set<string>;
  #index = 0;

  constructor(text: string, errors: Set<string>) {
    this.#text = text;
    this.#errors = errors;
  }

  value(scope: Scope, path: string): void {
    switch (this.#peek()) {
      case '{':
        this.#object(opaqueOr(scope), path);
        break;
      case '[':
        this.#array(opaqueOr(scope), path);
        break;
      case '"':
        this.#string();
        break;
      default:
        while (this.#index < this.#text.length && !isEndOfScalar(this.#text.charCodeAt(this.#index))) this.#index++;
    }
  }

  #object(scope: Scope, path: string): void {
    const seen = new Set<string>();
    this.#index++;
    while (this.#peek() !== '}') {
      const key = this.#string();
      this.#peek();
      this.#index++;
      const childPath = path === '' ? key : `${path}.${key}`;
      const childScope = scopeOfField(scope, key);
      if (childScope === undefined) this.#report('unknown', childPath);
      else if (scope !== 'opaque') {
        if (seen.has(key)) this.#report('duplicate', childPath);
        seen.add(key);
      }
      this.value(childScope ?? 'opaque', childPath);
      if (this.#peek() === ',') this.#index++;
    }
    this.#index++;
  }

  #array(scope: Scope, path: string): void {
    const items: Scope = typeof scope === 'string' ? scope : scope.kind === 'list' ? scope.items : 'opaque';
    this.#index++;
    for (let i = 0, next = this.#peek(); next !== ']'; i++, next = this.#peek()) {
      this.value(items, next === '{' || next === '[' ? `${path}[${i}]` : path);
      if (this.#peek() === ',') this.#index++;
    }
    this.#index++;
  }

  #string(): string {
    const start = this.#index++;
    let escaped = false;
    for (;;) {
      const code = this.#text.charCodeAt(this.#index++);
      if (code === doubleQuote) break;
      if (code !== backslash) continue;
      escaped = true;
      this.#index++;
    }
    return escaped
      ? String(JSON.parse(this.#text.slice(start, this.#index)))
      : this.#text.slice(start + 1, this.#index - 1);
  }

  #peek(): string | undefined {
    while (isSpace(this.#text.charCodeAt(this.#index))) this.#index++;
    return this.#text[this.#index];
  }

  #report(what: 'unknown' | 'duplicate', path: string): void {
    if (this.#errors.size < maxErrors) this.#errors.add(`${what} field ${quote(path)}`);
  }
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
const isEndOfScalar = (code: number): boolean => code === 0x2c || code === 0x5d || code === 0x7d || isSpace(code);

const opaqueOr = (scope: Scope): Scope =>
  typeof scope === 'string' || scope.kind === 'struct' || scope.kind === 'list' || scope.kind === 'map'
    ? scope
    : 'opaque';

/** Returns the scope of a key's value; undefined when the schema has no such field. */
function scopeOfField(scope: Scope, key: string): Scope | undefined {
  if (typeof scope === 'string') return scope;
  if (scope.kind === 'map') return scope.values;
  if (scope.kind !== 'struct') return 'opaque';
  return scope.fields.get(key)?.schema ?? (scope.preserveUnknownFields ? 'untyped' : undefined);
}
