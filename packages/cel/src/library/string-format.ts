import { quote } from '@coxswain/apimachinery';
import { formatDouble } from '../standard/conversions.ts';
import { compareStrings } from '../standard/operators.ts';
import { Pace, type Steps } from '../steps/steps.ts';
import { formatDuration } from '../values/duration.ts';
import { runtimeType } from '../values/runtime-type.ts';
import { formatTimestamp } from '../values/timestamp.ts';
import { CelError, CelList, CelMap, type CelValue, Duration, Timestamp, TypeValue, Uint } from '../values/values.ts';
import { weightOf } from './each-element.ts';
import { type FormatClause, formatParts, wrongArgument } from './format-clause.ts';
import { formatFixed, formatPlain, formatScientific } from './format-double.ts';
import { checkLength } from './limits.ts';
import { sortInSteps } from './sort-in-steps.ts';
import { TextBuilder } from './text-builder.ts';

const defaultPrecision = 6;

/** Computes `format.format(args)`. Throws CelError. */
export function* formatString(format: string, args: CelList): Steps<string> {
  const formatter = new Formatter();
  const built = new TextBuilder();
  const pace = new Pace();
  for (const part of formatParts(format)) {
    if (pace.isOver(8)) yield pace.taken;
    if (typeof part === 'string') {
      built.add(part);
      continue;
    }
    const { index } = part;
    if (index >= args.size) throw new CelError(`index ${index} out of range`);
    built.add(yield* formatter.format(part.clause(), args.at(index)));
  }
  return built.text;
}

const numberWords: ReadonlyMap<CelValue, number> = new Map<CelValue, number>([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

/** The maximum nesting of values: more than in any object. */
const maxDepth = 500;

class Formatter {
  readonly #pace = new Pace();
  /** The total length of the texts: a value that contains another many times can be extremely large. */
  #length = 0;
  #depth = 0;

  *format({ verb, precision = defaultPrecision }: FormatClause, value: CelValue): Steps<string> {
    const text = verb === 's' ? yield* this.#text(value) : formatAs(verb, precision, value);
    if (text === undefined) throw new CelError(wrongArgument(verb, runtimeType(value).name));
    return text;
  }

  /** Formats a value for `%s`; undefined for unsupported types. */
  *#text(value: CelValue): Steps<string | undefined> {
    if (!(value instanceof CelList || value instanceof CelMap)) return scalarText(value);
    if (++this.#depth > maxDepth) throw new CelError('operation cancelled: value too deep');
    const text = value instanceof CelList ? yield* this.#list(value) : yield* this.#map(value);
    this.#depth--;
    return text;
  }

  /** Formats a value inside a list or map, similar to a literal. */
  *#element(value: CelValue): Steps<string> {
    if (value instanceof CelList) return (yield* this.#text(value)) ?? '';
    if (value instanceof CelMap) return (yield* this.#text(value)) ?? '';
    const text = typeof value === 'number' ? formatPlain(value, defaultPrecision) : scalarText(value);
    if (text === undefined) {
      throw new CelError(`error during formatting: no formatting function for ${runtimeType(value).name}`);
    }
    const literal = asLiteral(value, text);
    this.#length += literal.length;
    checkLength(this.#length);
    if (this.#pace.isOver(16 + (literal.length >> 2))) yield this.#pace.taken;
    return literal;
  }

  *#list(list: CelList): Steps<string> {
    const built = new TextBuilder();
    built.add('[');
    for (let i = 0; i < list.size; i++) {
      if (i > 0) built.add(', ');
      built.add(yield* this.#element(list.at(i)));
      this.#grow(2);
    }
    built.add(']');
    return built.text;
  }

  *#map(map: CelMap): Steps<string> {
    const entries: (readonly [key: string, value: string])[] = [];
    for (const key of map.keys()) {
      entries.push([yield* this.#element(key), yield* this.#element(map.get(key) ?? null)]);
      this.#grow(3);
    }
    const built = new TextBuilder();
    built.add('{');
    const sorted = yield* sortInSteps(
      entries,
      ([a], [b]) => compareStrings(a, b),
      ([key]) => weightOf(key),
    );
    for (const [i, [key, value]] of sorted.entries()) {
      built.add(`${i > 0 ? ', ' : ''}${key}:${value}`);
      if (this.#pace.isOver(4)) yield this.#pace.taken;
    }
    built.add('}');
    return built.text;
  }

  /** Adds to the total length. Also called for brackets and separators, so that empty lists count. */
  #grow(length: number): void {
    this.#length += length;
    checkLength(this.#length);
  }
}

function formatAs(verb: FormatClause['verb'], precision: number, value: CelValue): string | undefined {
  const integer = typeof value === 'bigint' ? value : value instanceof Uint ? value.value : undefined;
  switch (verb) {
    case 'd':
      return integer?.toString();
    case 'b':
      return typeof value === 'boolean' ? (value ? '1' : '0') : integer?.toString(2);
    case 'o':
      return integer?.toString(8);
    case 'x':
      return integer?.toString(16) ?? hexBytes(value);
    case 'X':
      return (integer?.toString(16) ?? hexBytes(value))?.toUpperCase();
    default: {
      const double = typeof value === 'number' ? value : numberWords.get(value);
      return double === undefined ? undefined : (verb === 'f' ? formatFixed : formatScientific)(double, precision);
    }
  }
}

function scalarText(value: CelValue): string | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'number':
      return formatDouble(value);
  }
  if (value === null) return 'null';
  if (value instanceof Uint) return value.value.toString();
  if (value instanceof Uint8Array) return bytesText(value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  return value instanceof TypeValue ? value.type.name : undefined;
}

function asLiteral(value: CelValue, text: string): string {
  if (typeof value === 'string') return quote(text);
  if (typeof value === 'number') return Number.isFinite(value) ? text : quote(text);
  if (value instanceof Uint8Array) return `b${quote(text)}`;
  if (value instanceof Timestamp) return `timestamp(${quote(text)})`;
  return value instanceof Duration ? `duration(${quote(text)})` : text;
}

function hexBytes(value: CelValue): string | undefined {
  if (typeof value !== 'string' && !(value instanceof Uint8Array)) return undefined;
  return Buffer.from(value).toString('hex');
}

function bytesText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const problem = 'invalid UTF-8 in bytes, cannot convert to string';
    throw new CelError(`error during formatting: could not convert argument ${quote(problem)} to string`);
  }
}
