import { alphanumeric, consistsOf, dash, dot, printed, underscore } from './character-class.ts';
import { dns1123SubdomainMaxLength } from './dns.ts';
import { emptyError } from './messages.ts';
import { type StringCheck, stringCheck } from './string-format.ts';

export const isCIdentifier: StringCheck = stringCheck({
  pattern: '[A-Za-z_][A-Za-z0-9_]*',
  message:
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  examples: ['my_name', 'MY_NAME', 'MyName'],
});

/** Refuses names that have a special meaning in a directory. */
function refuseDotDot(value: string, errors: string[]): void {
  if (value === '.' || value === '..') errors.push(`must not be '${value}'`);
  else if (value.startsWith('..')) errors.push("must not start with '..'");
}

export const isEnvVarName: StringCheck = stringCheck(
  {
    pattern: '[-._a-zA-Z][-._a-zA-Z0-9]*',
    message:
      "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
    examples: ['my.env-name', 'MY_ENV.NAME', 'MyEnvName1'],
  },
  refuseDotDot,
);

/** Any printable ASCII except `=`. */
export function isRelaxedEnvVarName(value: string): string[] {
  if (value === '') return [`environment variable name ${emptyError()}`];
  return consistsOf(value, printed)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** A key of a ConfigMap or Secret, which becomes a file name in volumes. */
export const isConfigMapKey: StringCheck = stringCheck(
  {
    pattern: '[-._a-zA-Z0-9]+',
    matches: (value) => value !== '' && consistsOf(value, alphanumeric | dash | dot | underscore),
    message: "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    examples: ['key.name', 'KEY_NAME', 'key-name'],
    maxLength: dns1123SubdomainMaxLength,
  },
  refuseDotDot,
);

export const isHTTPHeaderName: StringCheck = stringCheck({
  pattern: '[-A-Za-z0-9]+',
  message: "a valid HTTP header must consist of alphanumeric characters or '-'",
  examples: ['X-Header-Name'],
});

export const isValidPercent: StringCheck = stringCheck({
  pattern: '[0-9]+%',
  message: "a valid percent string must be a numeric string followed by an ending '%'",
  examples: ['1%', '93%'],
});

/** Requires an integer as programs print it: no plus, no leading zeros, no `-0`. */
export function isDecimalInteger(value: string): string[] {
  if (value === '') return [emptyError()];
  return /^(0|-?[1-9][0-9]*)$/.test(value) ? [] : ['must be a valid decimal integer in canonical form'];
}
