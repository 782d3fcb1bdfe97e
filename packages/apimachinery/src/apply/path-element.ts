import { readJson } from '../codec/json.ts';
import { elementJson, goFloat } from '../json/go-format.ts';
import { compareStrings } from '../json/go-value.ts';
import { quote } from '../strconv/quote.ts';

/**
 * One element of a path, encoded as in fieldsV1, so that decoding and encoding cost nothing: `f:name` is a field, `k:{"name":"a"}` the
 * list item with these keys, `v:"x"` an item of a set, `i:0` an index. Two elements are the same if and only if their texts are.
 */
export type PathElement = string;

/** The path elements from the root of an object to a value in it. */
export type FieldPath = readonly PathElement[];

export const fieldElement = (name: string): PathElement => `f:${name}`;
export const valueElement = (value: unknown): PathElement => `v:${elementJson(value)}`;
export const indexElement = (index: number): PathElement => `i:${index}`;

/** `fields` must be sorted by name. */
export function keyElement(fields: readonly (readonly [name: string, value: unknown])[]): PathElement {
  let members = '';
  for (const [name, value] of fields) members += `${members && ','}${JSON.stringify(name)}:${elementJson(value)}`;
  return `k:{${members}}`;
}

/** A path of field names: `fieldPath('spec', 'replicas')`. */
export const fieldPath = (...names: string[]): FieldPath => names.map(fieldElement);

// Matches elements that are canonical already, which is nearly all of them: they need no decoding.
const canonical = /^(?:v:"[\w./:@-]*"|k:\{"[\w.-]+":"[\w./:@-]*"\})$/;

/**
 * Returns an element of fieldsV1 in canonical form, or undefined for an unknown kind of element, which is to be ignored. Throws when the
 * element cannot be decoded.
 *
 * Differs from upstream: integers beyond 2^53 keep all their digits. Upstream decodes them as floats, and so loses the owner of a set
 * item.
 */
export function parsePathElement(text: string): PathElement | undefined {
  if (text.startsWith('f:') || canonical.test(text)) return text;
  if (text.length < 2) throw new Error('key must be 2 characters long:');
  if (text[1] !== ':') throw new Error(`missing colon: ${text}`);
  const content = text.slice(2);
  switch (text[0]) {
    case 'v':
      return valueElement(readJson(content));
    case 'k':
      return keyElement(keyFields(text));
    case 'i':
      if (!/^[+-]?\d{1,15}$/.test(content)) throw new Error(`strconv.Atoi: parsing ${quote(content)}: invalid syntax`);
      return indexElement(Number(content));
    default:
      return undefined;
  }
}

function keyFields(element: PathElement): [string, unknown][] {
  const fields: unknown = readJson(element.slice(2));
  if (typeof fields !== 'object' || Array.isArray(fields))
    throw new Error(`expected an object of key fields: ${element}`);
  return Object.entries(fields ?? {}).sort(([a], [b]) => compareStrings(a, b));
}

/** Prints a scalar as upstream does in a path; `integers` prints whole numbers. */
function printScalar(value: unknown, integers: (value: number | bigint) => string): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') return Number.isInteger(value) ? integers(value) : goFloat(value);
  if (typeof value === 'bigint') return integers(value);
  if (Array.isArray(value)) return `[${value.map((item) => printScalar(item, integers)).join(',')}]`;
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([key, item]) => `${key}=${printScalar(item, integers)}`)
      .join('');
  return String(value);
}

function print(element: PathElement, integers: (value: number | bigint) => string): string {
  switch (element[0]) {
    case 'f':
      return `.${element.slice(2)}`;
    case 'k':
      return `[${keyFields(element)
        .map(([name, value]) => `${name}=${printScalar(value, integers)}`)
        .join(',')}]`;
    case 'v':
      return `[=${printScalar(readJson(element.slice(2)), integers)}]`;
    default:
      return `[${element.slice(2)}]`;
  }
}

/** Prints an element of a value as upstream's validation errors do: `.spec`, `[name="a"]`, `[="x"]`, `[0]`. */
export const printPathElement = (element: PathElement): string => print(element, String);

/**
 * Prints a path as conflict messages do: `.spec.containers[name="a"].image`. Numbers are printed as floats, because upstream decodes
 * those of fieldsV1 as floats.
 */
export const printPath = (path: FieldPath): string =>
  path.map((element) => print(element, (value) => goFloat(Number(value)))).join('');

const kinds = 'fkvi';

/** Compares in upstream's order: fields, then keys, then values, then indexes, and each by content. */
export function comparePathElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0;
  const kind = a[0]!;
  if (kind !== b[0]) return kinds.indexOf(kind) - kinds.indexOf(b[0]!);
  if (kind === 'f') return compareStrings(a, b);
  // The texts can be compared: the closing quote sorts before every character that `canonical` allows inside.
  if (canonical.test(a) && canonical.test(b)) return a < b ? -1 : 1;
  switch (kind) {
    case 'k':
      return compareKeys(keyFields(a), keyFields(b));
    case 'v':
      return compareScalars(readJson(a.slice(2)), readJson(b.slice(2)));
    default:
      return Number(a.slice(2)) - Number(b.slice(2));
  }
}

function compareKeys(a: readonly [string, unknown][], b: readonly [string, unknown][]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareStrings(a[i]![0], b[i]![0]) || compareScalars(a[i]![1], b[i]![1]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

const scalarKinds = ['number', 'string', 'boolean', 'object'];
const kindOf = (value: unknown): string => (typeof value === 'bigint' ? 'number' : typeof value);
const isNumber = (value: unknown): value is number | bigint => kindOf(value) === 'number';

function compareScalars(a: unknown, b: unknown): number {
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  if (typeof a === typeof b) return compareStrings(elementJson(a), elementJson(b));
  return scalarKinds.indexOf(kindOf(a)) - scalarKinds.indexOf(kindOf(b));
}
