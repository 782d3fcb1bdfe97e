import { UNBOUNDED } from '../cost-estimate.ts';
import type { CallCost, Library } from '../function-declaration.ts';
import { codePointLength } from '../runtime-type.ts';
import { DYN, INT, listOf, STRING } from '../types.ts';
import { ArrayList, CelError, type CelList } from '../values.ts';
import { traversalCost } from './call-cost.ts';
import { globalFunction, method } from './declare.ts';
import { bounded, checkLength } from './limits.ts';
import { deepTraversalEstimate, joinCost, replaceCost, splitCost } from './string-costs.ts';
import { formatString } from './string-format.ts';
import { indexOfText, isQuickToSearch, lastIndexOfText, occurrences } from './substring-search.ts';

/** The UTF-16 position of a character, for `0 <= index <=` the number of characters. */
function unitPosition(text: string, index: number): number {
  let position = 0;
  for (let i = 0; i < index; i++) position += text.codePointAt(position)! > 0xffff ? 2 : 1;
  return position;
}

const outOfRange = (index: bigint): CelError => new CelError(`index out of range: ${index}`);

/** An index that some position of the text has, or the end. Throws CelError for any other. */
function position(text: string, index: bigint): number {
  if (index < 0n || index > BigInt(text.length)) throw outOfRange(index);
  if (index > BigInt(codePointLength(text))) throw outOfRange(index);
  return unitPosition(text, Number(index));
}

function charAt(text: string, index: bigint): string {
  const code = text.codePointAt(position(text, index));
  return code === undefined ? '' : String.fromCodePoint(code);
}

const characterIndex = (text: string, unit: number): bigint =>
  unit < 0 ? -1n : BigInt(codePointLength(text.slice(0, unit)));

function indexOf(text: string, part: string, offset: bigint): bigint {
  if (part === '') return offset;
  if (offset < 0n) throw outOfRange(offset);
  if (offset >= BigInt(codePointLength(text))) return -1n;
  return characterIndex(text, indexOfText(text, part, unitPosition(text, Number(offset))));
}

function lastIndexOf(text: string, part: string, offset?: bigint): bigint {
  const size = BigInt(codePointLength(text));
  const from = offset ?? size - 1n;
  if (part === '') return offset ?? size;
  if (offset === undefined && Buffer.byteLength(text) < Buffer.byteLength(part)) return -1n;
  if (from < 0n) throw outOfRange(from);
  if (from >= size) return -1n;
  return characterIndex(text, lastIndexOfText(text, part, unitPosition(text, Number(from))));
}

function substring(text: string, start: bigint, end?: bigint): string {
  if (end !== undefined && start > end) throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  const from = position(text, start);
  return text.slice(from, end === undefined ? undefined : position(text, end));
}

/** A negative limit is none. */
const limitOf = (limit: bigint): number => (limit < 0n ? Number.POSITIVE_INFINITY : Number(limit));

function replace(text: string, old: string, by: string, limit: bigint): string {
  const atMost = limitOf(limit);
  if (atMost === Number.POSITIVE_INFINITY && old !== '' && isQuickToSearch(text, old)) {
    const kept = text.split(old);
    checkLength(text.length + (kept.length - 1) * (by.length - old.length));
    return kept.join(by);
  }
  const pieces: string[] = [];
  let end = 0;
  let length = 0;
  for (const at of old === '' ? boundaries(text) : occurrences(text, old)) {
    if (pieces.length >= 2 * atMost) break;
    length += at - end + by.length;
    checkLength(length);
    pieces.push(text.slice(end, at), by);
    end = at + old.length;
  }
  pieces.push(text.slice(end));
  return pieces.join('');
}

/** Before each character, and at the end. */
function* boundaries(text: string): Generator<number> {
  for (let at = 0; at < text.length; at += text.codePointAt(at)! > 0xffff ? 2 : 1) yield at;
  yield text.length;
}

function split(text: string, separator: string, limit: bigint): CelList {
  const atMost = limitOf(limit);
  const parts: string[] = [];
  if (atMost === 0) return new ArrayList(parts);
  if (atMost === Number.POSITIVE_INFINITY && separator !== '' && isQuickToSearch(text, separator)) {
    return new ArrayList(text.split(separator));
  }
  let end = 0;
  for (const at of separator === '' ? boundaries(text) : occurrences(text, separator)) {
    if (separator === '' && (at === 0 || at === text.length)) continue;
    if (parts.length >= atMost - 1) break;
    parts.push(text.slice(end, at));
    end = at + separator.length;
  }
  if (separator !== '' || text !== '') parts.push(text.slice(end));
  return new ArrayList(parts);
}

function join(list: CelList, separator: string): string {
  const parts: string[] = [];
  let length = 0;
  for (const element of bounded(list)) {
    if (typeof element !== 'string') throw new CelError(`join: invalid input: ${String(element)}`);
    length += element.length + separator.length;
    checkLength(length);
    parts.push(element);
  }
  return parts.join(separator);
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);

const quote = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what there is to escape
  `"${text.replace(/\p{Surrogate}/gu, '\ufffd').replace(/[\x07\b\f\n\r\t\v\\"]/g, (character) => escapes.get(character)!)}"`;

/** What Go's unicode.IsSpace takes for a space; JavaScript's trim takes others too. */
const space = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const leadingSpace = new RegExp(`^${space}+`);
const isSpace = new RegExp(`^${space}$`);

function trim(text: string): string {
  const start = leadingSpace.exec(text)?.[0].length ?? 0;
  let end = text.length;
  while (end > start && isSpace.test(text[end - 1]!)) end--;
  return text.slice(start, end);
}

const sameSize: CallCost = traversalCost(1, (size) => size);

/** Functions of strings, version 2 of the extension. */
export const stringsLibrary: Library = {
  name: 'cel.lib.ext.strings',
  functions: [
    method('charAt', { id: 'string_char_at_int', parameters: [STRING, INT], result: STRING, call: charAt }),
    method('indexOf', {
      id: 'string_index_of_string',
      parameters: [STRING, STRING],
      result: INT,
      cost: deepTraversalEstimate,
      call: (text, part) => indexOf(text, part, 0n),
    }),
    method('indexOf', {
      id: 'string_index_of_string_int',
      parameters: [STRING, STRING, INT],
      result: INT,
      cost: deepTraversalEstimate,
      call: indexOf,
    }),
    method('lastIndexOf', {
      id: 'string_last_index_of_string',
      parameters: [STRING, STRING],
      result: INT,
      cost: deepTraversalEstimate,
      call: (text, part) => lastIndexOf(text, part),
    }),
    method('lastIndexOf', {
      id: 'string_last_index_of_string_int',
      parameters: [STRING, STRING, INT],
      result: INT,
      cost: deepTraversalEstimate,
      call: lastIndexOf,
    }),
    method('lowerAscii', {
      id: 'string_lower_ascii',
      parameters: [STRING],
      result: STRING,
      cost: sameSize,
      call: (text) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
    }),
    method('upperAscii', {
      id: 'string_upper_ascii',
      parameters: [STRING],
      result: STRING,
      cost: sameSize,
      call: (text) => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase()),
    }),
    method('replace', {
      id: 'string_replace_string_string',
      parameters: [STRING, STRING, STRING],
      result: STRING,
      cost: replaceCost,
      call: (text, old, by) => replace(text, old, by, -1n),
    }),
    method('replace', {
      id: 'string_replace_string_string_int',
      parameters: [STRING, STRING, STRING, INT],
      result: STRING,
      cost: replaceCost,
      call: replace,
    }),
    method('split', {
      id: 'string_split_string',
      parameters: [STRING, STRING],
      result: listOf(STRING),
      cost: splitCost,
      call: (text, separator) => split(text, separator, -1n),
    }),
    method('split', {
      id: 'string_split_string_int',
      parameters: [STRING, STRING, INT],
      result: listOf(STRING),
      cost: splitCost,
      call: split,
    }),
    method('substring', {
      id: 'string_substring_int',
      parameters: [STRING, INT],
      result: STRING,
      cost: sameSize,
      call: (text, start) => substring(text, start),
    }),
    method('substring', {
      id: 'string_substring_int_int',
      parameters: [STRING, INT, INT],
      result: STRING,
      cost: sameSize,
      call: substring,
    }),
    method('trim', { id: 'string_trim', parameters: [STRING], result: STRING, cost: sameSize, call: trim }),
    method('format', {
      id: 'string_format',
      parameters: [STRING, listOf(DYN)],
      result: STRING,
      cost: traversalCost(),
      call: formatString,
    }),
    globalFunction('strings.quote', {
      id: 'strings_quote',
      parameters: [STRING],
      result: STRING,
      cost: traversalCost(1, ({ min, max }) => ({ min: min + 2, max: Math.min(UNBOUNDED, 2 * max + 2) })),
      call: quote,
    }),
    method('join', {
      id: 'list_join',
      parameters: [listOf(STRING)],
      result: STRING,
      cost: joinCost,
      call: (list) => join(list, ''),
    }),
    method('join', {
      id: 'list_join_string',
      parameters: [listOf(STRING), STRING],
      result: STRING,
      cost: joinCost,
      call: join,
    }),
  ],
};
