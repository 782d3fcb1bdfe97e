import { quote } from '@coxswain/apimachinery';
import { formatDouble } from '../conversions.ts';
import { formatDuration } from '../duration.ts';
import { compareStrings } from '../operators.ts';
import { runtimeType } from '../runtime-type.ts';
import { formatTimestamp } from '../timestamp.ts';
import { CelError, CelList, CelMap, type CelValue, Duration, Timestamp, TypeValue, Uint } from '../values.ts';
import { type FormatClause, formatParts, wrongArgument } from './format-clause.ts';
import { formatFixed, formatPlain, formatScientific } from './format-double.ts';
import { checkFormatted, checkLength } from './limits.ts';

const defaultPrecision = 6;

/** `format.format(args)`. Throws CelError. */
export function formatString(format: string, args: CelList): string {
  const formatter = new Formatter();
  let text = '';
  try {
    for (const part of formatParts(format, (clause, index) => {
      if (index >= args.size) throw new CelError(`index ${index} out of range`);
      return formatter.format(clause(), args.at(index));
    })) {
      text += part;
      checkLength(text.length);
    }
  } catch (error) {
    throw error instanceof Error ? new CelError(error.message) : error;
  }
  return text;
}

const numberWords: ReadonlyMap<CelValue, number> = new Map<CelValue, number>([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

class Formatter {
  /** A value that holds another many times over can be astronomically large. */
  #visited = 0;
  #length = 0;

  format({ verb, precision = defaultPrecision }: FormatClause, value: CelValue): string {
    const text = this.#formatAs(verb, precision, value);
    if (text === undefined) throw new CelError(wrongArgument(verb, runtimeType(value).name));
    return text;
  }

  #formatAs(verb: FormatClause['verb'], precision: number, value: CelValue): string | undefined {
    const integer = typeof value === 'bigint' ? value : value instanceof Uint ? value.value : undefined;
    switch (verb) {
      case 's':
        return this.#text(value);
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

  /** As `%s` writes it; undefined for types that it does not know. */
  #text(value: CelValue): string | undefined {
    checkFormatted(++this.#visited);
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
    if (value instanceof CelList) return this.#list(value);
    if (value instanceof CelMap) return this.#map(value);
    if (value instanceof Uint) return value.value.toString();
    if (value instanceof Uint8Array) return bytesText(value);
    if (value instanceof Timestamp) return formatTimestamp(value);
    if (value instanceof Duration) return formatDuration(value);
    return value instanceof TypeValue ? value.type.name : undefined;
  }

  /** As it stands in a list or map: much like a literal. */
  #element(value: CelValue): string {
    const text = typeof value === 'number' ? formatPlain(value, defaultPrecision) : this.#text(value);
    if (text === undefined) {
      throw new CelError(`error during formatting: no formatting function for ${runtimeType(value).name}`);
    }
    const literal = asLiteral(value, text);
    this.#length += literal.length;
    checkLength(this.#length);
    return literal;
  }

  #list(list: CelList): string {
    checkFormatted(this.#visited + list.size);
    return `[${Array.from(list, (element) => this.#element(element)).join(', ')}]`;
  }

  #map(map: CelMap): string {
    checkFormatted(this.#visited + map.size);
    const entries = Array.from(map.keys(), (key) => [this.#element(key), this.#element(map.get(key) ?? null)] as const);
    entries.sort(([a], [b]) => compareStrings(a, b));
    return `{${entries.map((entry) => entry.join(':')).join(', ')}}`;
  }
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
