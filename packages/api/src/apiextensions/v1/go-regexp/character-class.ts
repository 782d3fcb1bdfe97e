import type { CharacterSet } from './syntax.ts';

const range =
  (...pairs: readonly string[]): CharacterSet =>
  (code) =>
    pairs.some((pair) => code >= pair.charCodeAt(0) && code <= pair.charCodeAt(1));

const digits = range('09');
const word = range('09', 'AZ', 'az', '__');
const space = range('\t\n', '\f\r', '  ');

/** `\d`, `\s`, `\w`: ASCII only, whatever the flags. */
export const perlClasses: Readonly<Record<string, CharacterSet>> = { d: digits, s: space, w: word };

/** `[:alpha:]` and its like, inside brackets. */
export const posixClasses: Readonly<Record<string, CharacterSet>> = {
  alnum: range('09', 'AZ', 'az'),
  alpha: range('AZ', 'az'),
  ascii: (code) => code < 0x80,
  blank: range('\t\t', '  '),
  cntrl: (code) => code < 0x20 || code === 0x7f,
  digit: digits,
  graph: range('!~'),
  lower: range('az'),
  print: range(' ~'),
  punct: range('!/', ':@', '[`', '{~'),
  space: range('\t\r', '  '),
  upper: range('AZ'),
  word,
  xdigit: range('09', 'AF', 'af'),
};

export const isWord: CharacterSet = word;

export const not =
  (set: CharacterSet): CharacterSet =>
  (code) =>
    !set(code);

/** The characters of a Unicode category or script; undefined when there is none of that name. */
export function unicodeClass(name: string): CharacterSet | undefined {
  if (name === 'Any') return () => true;
  if (!/^[A-Za-z_]+$/.test(name)) return undefined;
  for (const property of [`gc=${name}`, `sc=${name}`]) {
    try {
      const pattern = new RegExp(`^\\p{${property}}$`, 'u');
      return (code) => pattern.test(String.fromCodePoint(code));
    } catch {
      // Not a category: perhaps a script.
    }
  }
  return undefined;
}

/** A set in which upper and lower case are the same. */
export function foldingCase(set: CharacterSet): CharacterSet {
  return (code) => {
    if (set(code)) return true;
    const character = String.fromCodePoint(code);
    return set(character.toLowerCase().codePointAt(0)!) || set(character.toUpperCase().codePointAt(0)!);
  };
}
