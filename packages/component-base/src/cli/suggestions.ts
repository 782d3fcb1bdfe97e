/** The largest edit distance of a suggestion. */
const maxDistance = 2;

/** Returns the names that may have been meant by `word`: those within the edit distance, and those that begin with it. In their order. */
export const suggestionsFor = (word: string, names: readonly string[]): string[] =>
  names.filter(
    (name) =>
      name.toLowerCase().startsWith(word.toLowerCase()) ||
      distance(word.toLowerCase(), name.toLowerCase()) <= maxDistance,
  );

/** Returns the suggestion with the smallest edit distance; undefined when there is none. */
export const nearestOf = (word: string, names: readonly string[]): string | undefined =>
  suggestionsFor(word, names).toSorted((a, b) => distance(word, a) - distance(word, b))[0];

/** The Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
