import type { CharacterSet } from './syntax.ts';
import { categoryAliases, scripts } from './unicode-names.ts';

const range =
  (...pairs: readonly string[]): CharacterSet =>
  (code) =>
    pairs.some((pair) => code >= pair.charCodeAt(0) && code <= pair.charCodeAt(1));

const digits = range('09');
const word = range('09', 'AZ', 'az', '__');
const space = range('\t\n', '\f\r', '  ');

/** `\d`, `\s`, `\w`: ASCII only. */
export const perlClasses: ReadonlyMap<string, CharacterSet> = new Map([
  ['d', digits],
  ['s', space],
  ['w', word],
]);

/** The POSIX classes, such as `[:alpha:]`, inside brackets. */
export const posixClasses: ReadonlyMap<string, CharacterSet> = new Map([
  ['alnum', range('09', 'AZ', 'az')],
  ['alpha', range('AZ', 'az')],
  ['ascii', (code) => code < 0x80],
  ['blank', range('\t\t', '  ')],
  ['cntrl', (code) => code < 0x20 || code === 0x7f],
  ['digit', digits],
  ['graph', range('!~')],
  ['lower', range('az')],
  ['print', range(' ~')],
  ['punct', range('!/', ':@', '[`', '{~')],
  ['space', range('\t\r', '  ')],
  ['upper', range('AZ')],
  ['word', word],
  ['xdigit', range('09', 'AF', 'af')],
]);

export const isWord: CharacterSet = word;

export const not =
  (set: CharacterSet): CharacterSet =>
  (code) =>
    !set(code);

const hasProperty = (property: string): CharacterSet => {
  const pattern = new RegExp(`^\\p{${property}}$`, 'u');
  return (code) => pattern.test(String.fromCodePoint(code));
};

/**
 * Returns the characters of a Unicode category or script; undefined when Go does not know the name. Case, spaces, dashes and underscores
 * in the name are ignored.
 * Differs from upstream: the tables are those of the runtime, which may be of a newer version of Unicode.
 */
export function unicodeClass(name: string): CharacterSet | undefined {
  const key = name.replace(/[_ -]/g, '').toLowerCase();
  if (key === 'any') return () => true;
  if (key === 'ascii') return (code) => code < 0x80;
  if (key === 'assigned') return not(hasProperty('gc=Cn'));
  const category = categoryAliases.get(key);
  if (category !== undefined) return hasProperty(`gc=${category}`);
  const script = scripts.get(key);
  return script === undefined ? undefined : hasProperty(`sc=${script}`);
}
