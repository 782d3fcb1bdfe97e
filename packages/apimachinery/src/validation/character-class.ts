/** Classes of ASCII characters, as bits. A format is described by the classes it allows at each position. */
export const lower = 1;
const upper = 2;
export const digit = 4;
export const dash = 8;
export const dot = 16;
export const underscore = 32;
/** All other printable characters, except `=`. */
const mark = 64;

export const lowerAlphanumeric = lower | digit;
export const alphanumeric = lower | upper | digit;
/** All of these: printable ASCII, except `=`. */
export const printed = alphanumeric | dash | dot | underscore | mark;

/** The class before the first character of a text. */
const start = 128;

const classes = new Uint8Array(128);
for (let code = 0x20; code < 0x7f; code++) classes[code] = classOf(String.fromCharCode(code));

function classOf(character: string): number {
  if (/[a-z]/.test(character)) return lower;
  if (/[A-Z]/.test(character)) return upper;
  if (/[0-9]/.test(character)) return digit;
  if (character === '=') return 0;
  return (
    new Map([
      ['-', dash],
      ['.', dot],
      ['_', underscore],
    ]).get(character) ?? mark
  );
}

const classAt = (text: string, i: number): number => {
  const code = text.charCodeAt(i);
  return code < 128 ? classes[code]! : 0;
};

/** Whether every character is in the class; true for an empty text. */
export function consistsOf(text: string, allowed: number): boolean {
  for (let i = 0; i < text.length; i++) if ((classAt(text, i) & allowed) === 0) return false;
  return true;
}

/** Whether the first character is in the class. */
export const startsWithOneOf = (text: string, allowed: number): boolean =>
  text.length > 0 && (classAt(text, 0) & allowed) !== 0;

/**
 * Whether the text from `from` to `to` is a word that starts and ends with a character of `ends` and may have those of `inner` in
 * between; with a `joint`, whether it is one or more such words with one of these characters between them. Never true for an empty text
 * or word. Reads each character once, because names are checked on every write.
 */
export function isWord(text: string, from: number, to: number, ends: number, inner: number, joint = 0): boolean {
  let previous = start;
  for (let i = from; i < to; i++) {
    const current = classAt(text, i);
    if ((current & ends) === 0) {
      if ((current & (inner | joint)) === 0 || (previous & (start | joint)) !== 0) return false;
      if ((current & joint) !== 0 && (previous & ends) === 0) return false;
    }
    previous = current;
  }
  return (previous & ends) !== 0;
}
