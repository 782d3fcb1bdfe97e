/** Up to this many comparisons the runtime's own search is faster, which takes the product of both lengths at worst. */
const smallProduct = 1 << 22;

/** Whether the runtime's own search does for these. */
export const isQuickToSearch = (text: string, part: string): boolean => text.length * part.length <= smallProduct;

/** Where a text occurs in another for the first time at or after a position, or -1. Takes time in proportion to both. */
export function indexOfText(text: string, part: string, from: number): number {
  for (const at of occurrences(text, part, from, true)) return at;
  return -1;
}

/** Where a text occurs for the last time at or before a position, or -1. Takes time in proportion to both. */
export function lastIndexOfText(text: string, part: string, from: number): number {
  if (isQuickToSearch(text, part)) return text.lastIndexOf(part, from);
  let last = -1;
  for (const at of occurrences(text.slice(0, from + part.length), part, 0, true)) last = at;
  return last;
}

/** Where a text that is not empty occurs in another, one after another. */
export function* occurrences(text: string, part: string, from = 0, overlapping = false): Generator<number> {
  if (!isQuickToSearch(text, part)) {
    yield* knuthMorrisPratt(text, part, from, overlapping);
    return;
  }
  const step = overlapping ? 1 : part.length;
  for (let at = text.indexOf(part, from); at >= 0; at = text.indexOf(part, at + step)) yield at;
}

function* knuthMorrisPratt(text: string, part: string, from: number, overlapping: boolean): Generator<number> {
  const fallback = new Int32Array(part.length + 1);
  for (let i = 1, matched = 0; i < part.length; i++) {
    while (matched > 0 && part[i] !== part[matched]) matched = fallback[matched]!;
    if (part[i] === part[matched]) matched++;
    fallback[i + 1] = matched;
  }
  for (let i = from, matched = 0; i < text.length; i++) {
    while (matched > 0 && text[i] !== part[matched]) matched = fallback[matched]!;
    if (text[i] === part[matched]) matched++;
    if (matched === part.length) {
      yield i + 1 - matched;
      matched = overlapping ? fallback[matched]! : 0;
    }
  }
}
