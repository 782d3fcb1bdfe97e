const escapes: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** Returns a string in double quotes as Go's `%q` prints it, which is how upstream's messages quote values. */
export function quote(text: string): string {
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`;
  let quoted = '';
  for (const character of text) {
    const code = character.codePointAt(0)!;
    quoted +=
      escapes[character] ??
      (code < 0x20 || code === 0x7f
        ? `\\x${code.toString(16).padStart(2, '0')}`
        : /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)
          ? character
          : code > 0xffff
            ? `\\U${code.toString(16).padStart(8, '0')}`
            : `\\u${code.toString(16).padStart(4, '0')}`);
  }
  return `"${quoted}"`;
}
