import { UNBOUNDED } from '../checking/cost-estimate.ts';
import type { CallCost, Library } from '../checking/function-declaration.ts';
import { indexOfText, isQuickToSearch, lastIndexOfText } from '../standard/substring-search.ts';
import { Pace, type Steps, Work } from '../steps/steps.ts';
import { codePointLength, isAscii } from '../values/runtime-type.ts';
import { DYN, INT, listOf, STRING } from '../values/types.ts';
import { ArrayList, CelError, type CelList } from '../values/values.ts';
import { traversalCost } from './call-cost.ts';
import { globalFunction, method } from './declare.ts';
import { eachElement } from './each-element.ts';
import { checkElements } from './limits.ts';
import { deepTraversalEstimate, joinCost, replaceCost, splitCost } from './string-costs.ts';
import { formatString } from './string-format.ts';
import { TextBuilder } from './text-builder.ts';

/** Returns the UTF-16 position of a character; undefined beyond the end. */
function unitPosition(text: string, index: number): number | undefined {
  if (index > text.length) return undefined;
  if (isAscii(text)) return index;
  let position = 0;
  for (let i = 0; i < index; i++) {
    if (position >= text.length) return undefined;
    position += text.codePointAt(position)! > 0xffff ? 2 : 1;
  }
  return position;
}

const outOfRange = (index: bigint): CelError => new CelError(`index out of range: ${index}`);

/** Returns the UTF-16 position of an index, which may be the end. Throws CelError for an index out of range. */
function position(text: string, index: bigint): number {
  const unit = index < 0n ? undefined : unitPosition(text, Number(index));
  if (unit === undefined) throw outOfRange(index);
  return unit;
}

function charAt(text: string, index: bigint): string {
  const code = text.codePointAt(position(text, index));
  return code === undefined ? '' : String.fromCodePoint(code);
}

const characterIndex = (text: string, unit: number): bigint =>
  unit < 0 ? -1n : BigInt(codePointLength(text.slice(0, unit)));

function* indexOf(text: string, part: string, offset: bigint): Steps<bigint> {
  if (part === '') return offset;
  if (offset < 0n) throw outOfRange(offset);
  const from = unitPosition(text, Number(offset)) ?? text.length;
  return from >= text.length ? -1n : characterIndex(text, yield* indexOfText(text, part, from));
}

function* lastIndexOf(text: string, part: string, offset?: bigint): Steps<bigint> {
  const size = BigInt(codePointLength(text));
  const from = offset ?? size - 1n;
  if (part === '') return offset ?? size;
  if (offset === undefined && Buffer.byteLength(text) < Buffer.byteLength(part)) return -1n;
  if (from < 0n) throw outOfRange(from);
  if (from >= size) return -1n;
  return characterIndex(text, yield* lastIndexOfText(text, part, position(text, from)));
}

function substring(text: string, start: bigint, end?: bigint): string {
  if (end !== undefined && start > end) throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  const from = position(text, start);
  return text.slice(from, end === undefined ? undefined : position(text, end));
}

/** Returns the limit; a negative one means no limit. */
const limitOf = (limit: bigint): number => (limit < 0n ? Number.POSITIVE_INFINITY : Number(limit));

/** Visits the occurrences of a part in a text, or all character boundaries for an empty part, until `visit` returns false. */
function* eachOccurrence(text: string, part: string, visit: (at: number) => boolean): Steps<void> {
  const pace = new Pace();
  const isQuick = isQuickToSearch(text, part);
  for (let from = 0; from <= text.length; ) {
    let at = from;
    if (part !== '') at = isQuick ? text.indexOf(part, from) : yield* indexOfText(text, part, from);
    if (at < 0 || !visit(at)) return;
    from = at + (part.length || (text.codePointAt(at)! > 0xffff ? 2 : 1));
    if (pace.isOver(4)) yield pace.taken;
  }
}

function* replace(text: string, old: string, by: string, limit: bigint): Steps<string> {
  const atMost = limitOf(limit);
  const built = new TextBuilder();
  let count = 0;
  let end = 0;
  yield* eachOccurrence(text, old, (at) => {
    if (count++ >= atMost) return false;
    built.add(text.slice(end, at));
    built.add(by);
    end = at + old.length;
    return true;
  });
  built.add(text.slice(end));
  return built.text;
}

function* split(text: string, separator: string, limit: bigint): Steps<CelList> {
  const atMost = limitOf(limit);
  const parts: string[] = [];
  if (atMost === 0) return new ArrayList(parts);
  let end = 0;
  yield* eachOccurrence(text, separator, (at) => {
    if (separator === '' && (at === 0 || at === text.length)) return true;
    if (parts.length >= atMost - 1) return false;
    parts.push(text.slice(end, at));
    end = at + separator.length;
    checkElements(parts.length);
    return true;
  });
  if (separator !== '' || text !== '') parts.push(text.slice(end));
  return new ArrayList(parts);
}

function* join(list: CelList, separator: string): Steps<string> {
  const built = new TextBuilder();
  yield* eachElement(list, (element, i) => {
    if (typeof element !== 'string') throw new CelError(`join: invalid input: ${String(element)}`);
    if (i > 0) built.add(separator);
    built.add(element);
  });
  return built.text;
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

/** The number of characters processed per step. */
const pieceSize = 2048;

/** Applies `change` to a text piece by piece. Surrogate pairs are not split. */
function* changed(text: string, change: (piece: string) => string): Steps<string> {
  const built = new TextBuilder();
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + pieceSize;
    if ((text.charCodeAt(end) & 0xfc00) === 0xdc00) end++;
    built.add(change(text.slice(start, end)));
    yield pieceSize;
  }
  return built.text;
}

function* quote(text: string): Steps<string> {
  const quoted = yield* changed(text, (piece) =>
    piece
      .replace(/\p{Surrogate}/gu, '\ufffd')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what there is to escape
      .replace(/[\x07\b\f\n\r\t\v\\"]/g, (character) => escapes.get(character)!),
  );
  return `"${quoted}"`;
}

/** Changes the case of letters from A to Z only. */
function changeCase(text: string, letters: RegExp, change: (text: string) => string): string | Work<string> {
  return isAscii(text) ? change(text) : new Work(changed(text, (piece) => piece.replace(letters, change)));
}

/** Reports whether a UTF-16 unit is a space for Go's unicode.IsSpace. JavaScript's trim recognizes other characters too. */
function isSpace(unit: number): boolean {
  if (unit <= 0xff) return unit === 0x20 || (unit >= 9 && unit <= 13) || unit === 0x85 || unit === 0xa0;
  if (unit >= 0x2000 && unit <= 0x200a) return true;
  return [0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000].includes(unit);
}

function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

const sameSize: CallCost = traversalCost(1, (size) => size);

/** String functions, version 2 of the extension. */
export const stringsLibrary: Library = {
  name: 'cel.lib.ext.strings',
  functions: [
    method('charAt', { id: 'string_char_at_int', parameters: [STRING, INT], result: STRING, call: charAt }),
    method('indexOf', {
      id: 'string_index_of_string',
      parameters: [STRING, STRING],
      result: INT,
      cost: deepTraversalEstimate,
      call: (text, part) => new Work(indexOf(text, part, 0n)),
    }),
    method('indexOf', {
      id: 'string_index_of_string_int',
      parameters: [STRING, STRING, INT],
      result: INT,
      cost: deepTraversalEstimate,
      call: (text, part, offset) => new Work(indexOf(text, part, offset)),
    }),
    method('lastIndexOf', {
      id: 'string_last_index_of_string',
      parameters: [STRING, STRING],
      result: INT,
      cost: deepTraversalEstimate,
      call: (text, part) => new Work(lastIndexOf(text, part)),
    }),
    method('lastIndexOf', {
      id: 'string_last_index_of_string_int',
      parameters: [STRING, STRING, INT],
      result: INT,
      cost: deepTraversalEstimate,
      call: (text, part, offset) => new Work(lastIndexOf(text, part, offset)),
    }),
    method('lowerAscii', {
      id: 'string_lower_ascii',
      parameters: [STRING],
      result: STRING,
      cost: sameSize,
      call: (text) => changeCase(text, /[A-Z]+/g, (letters) => letters.toLowerCase()),
    }),
    method('upperAscii', {
      id: 'string_upper_ascii',
      parameters: [STRING],
      result: STRING,
      cost: sameSize,
      call: (text) => changeCase(text, /[a-z]+/g, (letters) => letters.toUpperCase()),
    }),
    method('replace', {
      id: 'string_replace_string_string',
      parameters: [STRING, STRING, STRING],
      result: STRING,
      cost: replaceCost,
      call: (text, old, by) => new Work(replace(text, old, by, -1n)),
    }),
    method('replace', {
      id: 'string_replace_string_string_int',
      parameters: [STRING, STRING, STRING, INT],
      result: STRING,
      cost: replaceCost,
      call: (text, old, by, limit) => new Work(replace(text, old, by, limit)),
    }),
    method('split', {
      id: 'string_split_string',
      parameters: [STRING, STRING],
      result: listOf(STRING),
      cost: splitCost,
      call: (text, separator) => new Work(split(text, separator, -1n)),
    }),
    method('split', {
      id: 'string_split_string_int',
      parameters: [STRING, STRING, INT],
      result: listOf(STRING),
      cost: splitCost,
      call: (text, separator, limit) => new Work(split(text, separator, limit)),
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
      call: (format, args) => new Work(formatString(format, args)),
    }),
    globalFunction('strings.quote', {
      id: 'strings_quote',
      parameters: [STRING],
      result: STRING,
      cost: traversalCost(1, ({ min, max }) => ({ min: min + 2, max: Math.min(UNBOUNDED, 2 * max + 2) })),
      call: (text) => new Work(quote(text)),
    }),
    method('join', {
      id: 'list_join',
      parameters: [listOf(STRING)],
      result: STRING,
      cost: joinCost,
      call: (list) => new Work(join(list, '')),
    }),
    method('join', {
      id: 'list_join_string',
      parameters: [listOf(STRING), STRING],
      result: STRING,
      cost: joinCost,
      call: (list, separator) => new Work(join(list, separator)),
    }),
  ],
};
