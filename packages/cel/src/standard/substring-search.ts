import { Pace, type Steps } from '../steps/steps.ts';

/** The runtime's own search takes the product of both lengths at worst; so much of it takes no time to speak of. */
const smallProduct = 1 << 20;
/** Longer texts are searched for in another way, which takes time in proportion to both lengths. */
const longPart = 512;

/** Whether the runtime's own search does for these. */
export const isQuickToSearch = (text: string, part: string): boolean =>
  part.length === 1 || text.length * part.length <= smallProduct;

/** Where a text that is not empty occurs in another for the first time at or after a position, or -1. */
export function* indexOfText(text: string, part: string, from: number): Steps<number> {
  if (isQuickToSearch(text, part)) return text.indexOf(part, from);
  if (part.length > longPart) return yield* knuthMorrisPratt(text, part, from, text.length, false);
  const window = Math.floor(smallProduct / part.length);
  for (let start = from; start < text.length; start += window - part.length + 1) {
    const at = text.slice(start, start + window).indexOf(part);
    if (at >= 0) return start + at;
    yield window;
  }
  return -1;
}

/** Where it occurs for the last time, beginning at or before a position, or -1. */
export function* lastIndexOfText(text: string, part: string, from: number): Steps<number> {
  if (isQuickToSearch(text, part)) return text.lastIndexOf(part, from);
  const end = Math.min(from + part.length, text.length);
  if (part.length > longPart) return yield* knuthMorrisPratt(text, part, 0, end, true);
  const window = Math.floor(smallProduct / part.length);
  for (let stop = end; stop > 0; stop -= window - part.length + 1) {
    const start = Math.max(0, stop - window);
    const at = text.slice(start, stop).lastIndexOf(part);
    if (at >= 0) return start + at;
    yield window;
  }
  return -1;
}

function* knuthMorrisPratt(text: string, part: string, from: number, to: number, last: boolean): Steps<number> {
  const fallback = new Int32Array(part.length + 1);
  const pace = new Pace();
  for (let i = 1, matched = 0; i < part.length; i++) {
    while (matched > 0 && part[i] !== part[matched]) matched = fallback[matched]!;
    if (part[i] === part[matched]) matched++;
    fallback[i + 1] = matched;
    if (pace.isOver(1)) yield pace.taken;
  }
  let found = -1;
  for (let i = from, matched = 0; i < to; i++) {
    while (matched > 0 && text[i] !== part[matched]) matched = fallback[matched]!;
    if (text[i] === part[matched]) matched++;
    if (matched === part.length) {
      found = i + 1 - matched;
      if (!last) return found;
      matched = fallback[matched]!;
    }
    if (pace.isOver(1)) yield pace.taken;
  }
  return found;
}
