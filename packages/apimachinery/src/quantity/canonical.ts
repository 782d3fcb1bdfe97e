import { Quantity } from './quantity.ts';

const maxEntries = 4096;
const maxTextLength = 64;
const canonicalForms = new Map<string, string>();

/**
 * Returns the canonical form of a quantity in JSON: of a string, without spaces around it, or of a number. Throws an Error with
 * upstream's text when it is not a quantity. Meant for decoding: common forms are recognised without parsing.
 *
 * Differs from upstream: a number is read from its shortest form, because its spelling (`1e3`, `1.50`) is lost.
 */
export function canonicalQuantity(value: string | number | bigint): string {
  const text = typeof value === 'string' ? value : String(value);
  if (isCommonCanonical(text)) return text;
  const known = canonicalForms.get(text);
  if (known !== undefined) return known;
  const canonical = Quantity.parse(trimSpaces(text)).toString();
  if (text.length <= maxTextLength) {
    if (canonicalForms.size >= maxEntries) canonicalForms.clear();
    canonicalForms.set(text, canonical);
  }
  return canonical;
}

const zero = 0x30;
const decimalSuffixes = 'numkMGTPE';
const maxDecimalDigits = 15;
/** The number of digits, by binary suffix, with which any number stays far below the limit of an int64. */
const maxBinaryDigits: ReadonlyMap<string, number> = new Map([
  ['K', 12],
  ['M', 12],
  ['G', 9],
  ['T', 6],
  ['P', 3],
]);

/** Whether a text is certainly canonical: a plain whole number with a suffix that no larger one could replace. */
function isCommonCanonical(text: string): boolean {
  const { length } = text;
  let digits = 0;
  let number = 0;
  for (; digits < length && digits <= maxDecimalDigits; digits++) {
    const digit = text.charCodeAt(digits) - zero;
    if (digit < 0 || digit > 9) break;
    number = number * 10 + digit;
  }
  if (digits === 0 || digits > maxDecimalDigits || text.charCodeAt(0) === zero) return text === '0';
  switch (length - digits) {
    case 0:
      return number % 1000 !== 0;
    case 1:
      return number % 1000 !== 0 && decimalSuffixes.includes(text[digits]!);
    case 2:
      return number % 1024 !== 0 && text[digits + 1] === 'i' && digits <= (maxBinaryDigits.get(text[digits]!) ?? 0);
    default:
      return false;
  }
}

/** Trims spaces. Control characters are not spaces here: upstream would see them as escape sequences. */
function trimSpaces(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text[start]!)) start++;
  while (end > start && isSpace(text[end - 1]!)) end--;
  return text.slice(start, end);
}

const isSpace = (character: string): boolean => /[\x85\p{Z}]/u.test(character);
