import { isLongerThan } from './byte-length.ts';
import { alphanumeric, dash, dot, isWord, underscore } from './character-class.ts';
import { dns1123SubdomainMaxLength, isDns1123SubdomainBytes, matchesSubdomain } from './dns.ts';
import { emptyError, maxLenError, regexError } from './messages.ts';
import { type StringCheck, stringCheck } from './string-format.ts';

export const labelKeyMaxLength = 63;
export const labelValueMaxLength = 63;

const namePattern = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
/** Whether the text after `start` matches the pattern. */
const matchesName = (value: string, start = 0): boolean =>
  isWord(value, start, value.length, alphanumeric, dash | underscore | dot);

const nameError = regexError(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  namePattern,
  'MyName',
  'my.name',
  '123-abc',
);

/** Checks a label key, annotation key, finalizer or condition type: a name, optionally after a DNS subdomain and `/`. */
export function isQualifiedName(value: string): string[] {
  return isGood(value) ? [] : problemsOf(value);
}

function isGood(value: string): boolean {
  const slash = value.indexOf('/');
  if (value.length - slash - 1 > labelKeyMaxLength || !matchesName(value, slash + 1)) return false;
  return slash < 0 || (slash <= dns1123SubdomainMaxLength && matchesSubdomain(value, slash));
}

function problemsOf(value: string): string[] {
  const parts = value.split('/', 3);
  if (parts.length > 2) {
    return [`a valid label key ${nameError} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const errors: string[] = [];
  const name = parts[parts.length - 1]!;
  if (parts.length === 2) {
    const prefix = parts[0]!;
    const messages = prefix === '' ? [emptyError()] : isDns1123SubdomainBytes(prefix);
    for (const message of messages) errors.push(`prefix part ${message}`);
  }
  if (name === '') errors.push(`name part ${emptyError()}`);
  else if (isLongerThan(name, labelKeyMaxLength)) errors.push(`name part ${maxLenError(labelKeyMaxLength, 'bytes')}`);
  if (!matchesName(name)) errors.push(`name part ${nameError}`);
  return errors;
}

export const isValidLabelValue: StringCheck = stringCheck({
  pattern: `(${namePattern})?`,
  matches: (value) => value === '' || matchesName(value),
  message:
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ['MyValue', 'my_value', '12345'],
  maxLength: labelValueMaxLength,
  lengthUnit: 'bytes',
});
