import { MAX_JSON_DEPTH } from '../json/depth.ts';
import { isJsonObject } from '../json/own-entry.ts';
import { hasMoreJsonParts } from '../json/parts.ts';
import { completed, type Steps } from '../steps/index.ts';
import { JsonParser } from './json-parser.ts';
import { decodeUtf8 } from './utf8.ts';

export { type StringifyOptions, stringifyJson, writeJson } from '../json/stringify-json.ts';

export interface ParsedJson {
  readonly value: unknown;
  /** True when the exact parser was used with `keepLiterals`: the value may contain NumberLiterals. */
  readonly literals: boolean;
}

/**
 * Matches a number with a fraction or an exponent, whose spelling JSON.parse would lose. The end of a JSON value must follow it, which
 * excludes texts such as `nginx:1.25`.
 */
const spelledNumber = /\d(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)\s*(?:[,\]}]|$)/;
const surrogateEscape = /\\u[dD][89a-fA-F]/;

/**
 * Parses JSON as Go's decoder does. Integers are exact up to 64 bits, as bigints beyond 2^53. Invalid UTF-8 and lone surrogates become
 * U+FFFD. `__proto__` is an ordinary key. Throws JsonSyntaxError with Go's message, also when the text is nested deeper than
 * MAX_JSON_DEPTH.
 *
 * Differs from upstream: of several values for one key the last one wins; Go merges them.
 */
export function parseJson(input: string | Uint8Array, keepLiterals = false): ParsedJson {
  const text = typeof input === 'string' ? input : decodeUtf8(input);
  return parseFast(text) ?? { value: completed(new JsonParser(text, keepLiterals).parse()), literals: keepLiterals };
}

/** JSON.parse takes 25 ms for a text with this many objects that each have a different key, and blocks the event loop meanwhile. */
const maxPartsAtOnce = 20_000;

/** Like `parseJson`, in steps. */
export function* parseJsonInSteps(input: Uint8Array, keepLiterals = false): Steps<ParsedJson> {
  const isSplit = hasMoreJsonParts(input, maxPartsAtOnce);
  const text = decodeUtf8(input);
  yield;
  const parsed = isSplit ? undefined : parseFast(text);
  if (parsed) return parsed;
  return { value: yield* new JsonParser(text, keepLiterals).parse(), literals: keepLiterals };
}

/** Parses with JSON.parse. Returns undefined for a text that needs the exact parser. */
function parseFast(text: string): ParsedJson | undefined {
  if (!spelledNumber.test(text) && !(text.includes('\\u') && surrogateEscape.test(text))) {
    try {
      const value: unknown = JSON.parse(text);
      if (isSurelyExact(text) || isExact(value, MAX_JSON_DEPTH)) return { value, literals: false };
    } catch {
      // The exact parser fails too, with the right message.
    }
  }
  return undefined;
}

/**
 * Parses JSON that a server or this project wrote: like JSON.parse, but integers beyond 2^53 become bigints
 * (`docs/decisions/0002-int64.md`). For a text without such integers, the additional cost is a check of every 16th character. Throws a
 * SyntaxError, or a JsonSyntaxError or DecodeError for a text with long numbers.
 */
export function readJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!hasLongNumber(text) || isExact(value, MAX_JSON_DEPTH)) return value;
  return completed(new JsonParser(text, false).parse());
}

/** Whether the text alone shows that `isExact` is true of its value. Cheap, and true of almost every object. */
const isSurelyExact = (text: string): boolean =>
  countUpTo(text, '{', MAX_JSON_DEPTH) + countUpTo(text, '[', MAX_JSON_DEPTH) < MAX_JSON_DEPTH && !hasLongNumber(text);

function countUpTo(text: string, character: string, limit: number): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1 && count < limit; at = text.indexOf(character, at + 1)) count++;
  return count;
}

/**
 * Whether the text has a run of at least 16 digits, as every number beyond 2^53 has. Such a run covers one of the positions checked,
 * every 16th.
 */
function hasLongNumber(text: string): boolean {
  const row = 16;
  for (let at = row - 1; at < text.length; at += row) {
    if (!isDigit(text, at)) continue;
    let start = at;
    while (isDigit(text, start - 1)) start--;
    let end = at + 1;
    while (isDigit(text, end)) end++;
    if (end - start >= row) return true;
  }
  return false;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

/** Whether JSON.parse lost no digits of a number and nothing is nested deeper than `levels`. Does not recurse deeper itself. */
function isExact(value: unknown, levels: number): boolean {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isExact(value[i], levels - 1)) return false;
  } else if (isJsonObject(value)) {
    for (const key in value) if (!isExact(value[key], levels - 1)) return false;
  }
  return true;
}
