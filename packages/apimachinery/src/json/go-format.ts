import { quote } from '../strconv/quote.ts';
import { formatValue, goType, sortedKeys } from './go-value.ts';
import { isJsonObject } from './index.ts';

/** Prints a number, whole or not, as Go's `%v` prints a float64: with an exponent from a million on and below a ten thousandth. */
export function goFloat(value: number): string {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** Prints a JSON value as Go's `%#v` does. The caller must limit the depth. */
export function goSyntax(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (value === null) return 'interface {}(nil)';
  if (isJsonObject(value)) {
    const members = sortedKeys(value).map((key) => `${quote(key)}:${goSyntax(value[key])}`);
    return `${goType(value)}{${members.join(', ')}}`;
  }
  if (Array.isArray(value)) return `${goType(value)}{${value.map(goSyntax).join(', ')}}`;
  return formatValue(value);
}

interface Encoder {
  readonly escapes: Readonly<Record<string, string>>;
  readonly number: (value: number) => string;
}

const htmlEscapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

const standard: Encoder = { escapes: htmlEscapes, number: String };
/** The encoder of path elements has no short escapes for `\b` and `\f`, and writes exponents with two digits. */
const inElements: Encoder = {
  escapes: { ...htmlEscapes, '\\b': '\\u0008', '\\f': '\\u000c' },
  number: (value) => String(value).replace(/e([+-])(\d)$/, 'e$10$2'),
};

function encodeString(text: string, { escapes }: Encoder): string {
  const json = JSON.stringify(text);
  if (!/[<>&\u2028\u2029\b\f]/.test(text)) return json;
  return json.replace(/\\.|[<>&\u2028\u2029]/g, (found) => escapes[found] ?? found);
}

function encode(value: unknown, encoder: Encoder): string {
  if (typeof value === 'string') return encodeString(value, encoder);
  if (typeof value === 'number') return encoder.number(value);
  if (Array.isArray(value)) return `[${value.map((item) => encode(item, encoder)).join(',')}]`;
  if (!isJsonObject(value)) return String(value ?? null);
  const members = sortedKeys(value).map((key) => `${encodeString(key, encoder)}:${encode(value[key], encoder)}`);
  return `{${members.join(',')}}`;
}

/** Encodes JSON as Go's standard encoder encodes a map: keys sorted, HTML characters escaped. The caller must limit the depth. */
export const goJson = (value: unknown): string => encode(value, standard);

/** Encodes JSON as upstream's encoder of path elements does. */
export const elementJson = (value: unknown): string => encode(value, inElements);
