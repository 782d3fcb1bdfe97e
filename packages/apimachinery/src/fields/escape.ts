/** A value as it stands in a selector: backslash, comma and equals sign after a backslash. */
export const escapeValue = (value: string): string => value.replace(/[\\,=]/g, '\\$&');

/** The inverse. Throws an Error with upstream's text for anything that is not escaped as it should be. */
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
