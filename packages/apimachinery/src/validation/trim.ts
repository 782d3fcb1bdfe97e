/**
 * The text without those of the characters (all of one code unit) that stand at its ends. By hand: a pattern for what
 * stands at the end looks for the end at every such character there is, and whoever sends thousands of them in the
 * middle makes everybody wait.
 */
export function trim(text: string, characters = ' '): string {
  let start = 0;
  while (start < text.length && characters.includes(text[start]!)) start++;
  return trimRight(start === 0 ? text : text.slice(start), characters);
}

/** The same at the end only. */
export function trimRight(text: string, characters = ' '): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}
