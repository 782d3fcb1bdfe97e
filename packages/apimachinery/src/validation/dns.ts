import { isLongerThan } from './byte-length.ts';
import { dash, dot, isWord, lower, lowerAlphanumeric, startsWithOneOf } from './character-class.ts';
import { maxLenError, regexError } from './messages.ts';
import { type StringCheck, type StringFormat, stringCheck } from './string-format.ts';

export const dns1123LabelMaxLength = 63;
export const dns1123SubdomainMaxLength = 253;
export const dns1035LabelMaxLength = 63;

const dns1123Label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const underscoredLabel = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const dotted = (label: string): string => `${label}(\\.${label})*`;

/** Returns a test for the pattern `dotted(label)`, which searches for a position where a label should begin and none does. */
function dottedMatcher(label: string, flags = ''): (value: string) => boolean {
  const missingLabel = new RegExp(`(?:^|\\.)(?!${label}(?:\\.|$))`, flags);
  return (value) => !missingLabel.test(value);
}

/** Whether the text up to `end` is a DNS subdomain, regardless of its length. */
export const matchesSubdomain = (value: string, end: number = value.length): boolean =>
  isWord(value, 0, end, lowerAlphanumeric, dash, dot);

const matchesLabel = (value: string): boolean => isWord(value, 0, value.length, lowerAlphanumeric, dash);

const subdomain: StringFormat = {
  pattern: dotted(dns1123Label),
  matches: (value) => matchesSubdomain(value),
  message:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  examples: ['example.com'],
  maxLength: dns1123SubdomainMaxLength,
};

/** The format of most objects' names: labels joined by dots, 253 characters at most. */
export const isDns1123Subdomain: StringCheck = stringCheck(subdomain);

/** Like `isDns1123Subdomain`, where upstream's message counts bytes: prefixes of label keys. */
export const isDns1123SubdomainBytes: StringCheck = stringCheck({ ...subdomain, lengthUnit: 'bytes' });

/** Also allows upper case. The message shows the lower-case expression nevertheless. */
export const isDns1123SubdomainCaseless: StringCheck = stringCheck({
  ...subdomain,
  matches: dottedMatcher(dns1123Label, 'iu'),
  message:
    "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  examples: ['Example.com'],
  lengthUnit: 'bytes',
});

/** Also allows underscores, as in search domains of a pod's DNS configuration. */
export const isDns1123SubdomainWithUnderscore: StringCheck = stringCheck({
  ...subdomain,
  pattern: dotted(underscoredLabel),
  matches: dottedMatcher(underscoredLabel),
  message:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
});

export const isWildcardDns1123Subdomain: StringCheck = stringCheck({
  pattern: `\\*\\.${dotted(dns1123Label)}`,
  matches: (value) => value.startsWith('*.') && matchesSubdomain(value.slice(2)),
  message:
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  examples: ['*.example.com'],
  maxLength: dns1123SubdomainMaxLength,
});

export const isDns1035Label: StringCheck = stringCheck({
  pattern: '[a-z]([-a-z0-9]*[a-z0-9])?',
  matches: (value) => startsWithOneOf(value, lower) && matchesLabel(value),
  message:
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  examples: ['my-name', 'abc-123'],
  maxLength: dns1035LabelMaxLength,
});

const labelError = regexError(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  dns1123Label,
  'my-name',
  '123-abc',
);

/** Checks one part of a domain name, 63 characters at most. */
export function isDns1123Label(value: string): string[] {
  const errors: string[] = [];
  if (isLongerThan(value, dns1123LabelMaxLength)) errors.push(maxLenError(dns1123LabelMaxLength));
  if (!matchesLabel(value)) errors.push(matchesSubdomain(value) ? 'must not contain dots' : labelError);
  return errors;
}
