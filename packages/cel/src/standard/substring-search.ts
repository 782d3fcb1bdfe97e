import { Pace, type Steps } from '../steps/steps.ts';

/**
 * The runtime's own search can take time proportional to the product of both lengths. Up to this product that time is
 * negligible.
 */
const smallProduct = 1 << 20;
/** Parts longer than this are searched with Knuth-Morris-Pratt, in time proportional to the sum of both lengths. */
const longPart = 512;

/** Reports whether the runtime's own search is fast enough. */
export const isQuickToSearch = (text: string, part: string): boolean =>
  part.length === 1 || text.length * part.length <= smallProduct;

/** Returns the first position of a non-empty part at or after `from`, or -1. */
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

/** Returns the last position of a non-empty part at or before `from`, or -1. */
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
