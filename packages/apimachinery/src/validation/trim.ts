/**
 * Returns the text without the given characters (each of one code unit) at its ends. Not by a regular expression: one for the end of a
 * text searches for the end from every such character, so a client that sends thousands of them in the middle would block the event loop.
 */
export function trim(text: string, characters = ' '): string {
  let start = 0;
  while (start < text.length && characters.includes(text[start]!)) start++;
  return trimRight(start === 0 ? text : text.slice(start), characters);
}

/** Like `trim`, at the end only. */
export function trimRight(text: string, characters = ' '): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}
