/** Escapes backslash, comma and equals sign in a value of a selector with a backslash. */
export const escapeValue = (value: string): string => value.replace(/[\\,=]/g, '\\$&');

/** The inverse of `escapeValue`. Throws an Error with upstream's text for a value that is not escaped correctly. */
export function unescapeValue(text: string): string {
  return text.replace(/\\([\s\S]?)|[,=]/gu, (sequence: string, escaped: string | undefined) => {
    if (escaped === undefined) {
      // Upstream prints the character's number.
      throw new Error(`invalid field selector: unescaped character in value: ${sequence.charCodeAt(0)}`);
    }
    if (escaped === '' || !'\\,='.includes(escaped)) {
      throw new Error(`invalid field selector: invalid escape sequence: ${sequence}`);
    }
    return escaped;
  });
}
