/** The number of equal lines shown around a change. */
const contextLines = 3;
/** From this number of lines on, lines that are repeated too often are not used to find matches. */
const manyLines = 200;

interface Block {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

/** A range of lines of the old text and the range of the new text that replaces it. */
interface Change {
  readonly equal: boolean;
  readonly a: readonly [from: number, to: number];
  readonly b: readonly [from: number, to: number];
}

/**
 * Returns the difference of two texts as `diff -u` shows it, without file names. Of equally good results it is that of
 * upstream's library, which looks for the longest common range of lines, and then again to the left and right of it.
 */
export function unifiedDiff(from: string, to: string): string {
  const a = from.split('\n');
  const b = to.split('\n');
  return groups(changes(matchingBlocks(a, b), a.length, b.length))
    .map((group) => hunk(group, a, b))
    .join('');
}

function hunk(group: readonly Change[], a: readonly string[], b: readonly string[]): string {
  const first = group[0]!;
  const last = group[group.length - 1]!;
  let text = `@@ -${range(first.a[0], last.a[1])} +${range(first.b[0], last.b[1])} @@\n`;
  const write = (prefix: string, lines: readonly string[], [start, end]: readonly [number, number]) => {
    for (let i = start; i < end; i++) text += `${prefix}${lines[i]}\n`;
  };
  for (const change of group) {
    if (change.equal) write(' ', a, change.a);
    else {
      write('-', a, change.a);
      write('+', b, change.b);
    }
  }
  return text;
}

function range(start: number, end: number): string {
  const length = end - start;
  if (length === 1) return `${start + 1}`;
  return `${length === 0 ? start : start + 1},${length}`;
}

/** Returns the positions of each line in `b`, without lines that are too frequent. */
function indexLines(b: readonly string[]): Map<string, number[]> {
  const index = new Map<string, number[]>();
  b.forEach((line, i) => {
    const places = index.get(line);
    if (places) places.push(i);
    else index.set(line, [i]);
  });
  if (b.length >= manyLines) {
    const most = Math.floor(b.length / 100) + 1;
    for (const [line, places] of index) if (places.length > most) index.delete(line);
  }
  return index;
}

function matchingBlocks(a: readonly string[], b: readonly string[]): Block[] {
  const index = indexLines(b);
  const blocks: Block[] = [];
  const pending: [number, number, number, number][] = [[0, a.length, 0, b.length]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [aFrom, aTo, bFrom, bTo] = next;
    const block = longestMatch(a, b, index, next);
    if (block.size === 0) continue;
    blocks.push(block);
    pending.push([aFrom, block.a, bFrom, block.b], [block.a + block.size, aTo, block.b + block.size, bTo]);
  }
  return blocks.sort((x, y) => x.a - y.a || x.b - y.b);
}

function longestMatch(
  a: readonly string[],
  b: readonly string[],
  index: ReadonlyMap<string, readonly number[]>,
  [aFrom, aTo, bFrom, bTo]: readonly [number, number, number, number],
): Block {
  let best: Block = { a: aFrom, b: bFrom, size: 0 };
  // For each line of b: the length of the match that ends there and at the line of a visited last.
  let lengths = new Map<number, number>();
  for (let i = aFrom; i < aTo; i++) {
    const current = new Map<number, number>();
    for (const j of index.get(a[i]!) ?? []) {
      if (j < bFrom) continue;
      if (j >= bTo) break;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      current.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = current;
  }
  // Frequent lines do not start a match, but they can extend one.
  let { a: start, b: bStart, size } = best;
  while (start > aFrom && bStart > bFrom && a[start - 1] === b[bStart - 1]) {
    start--;
    bStart--;
    size++;
  }
  while (start + size < aTo && bStart + size < bTo && a[start + size] === b[bStart + size]) size++;
  return { a: start, b: bStart, size };
}

/** Returns the ranges from the old to the new text, equal and changed ones in turn. */
function changes(blocks: readonly Block[], aLength: number, bLength: number): Change[] {
  const result: Change[] = [];
  let a = 0;
  let b = 0;
  for (const block of [...blocks, { a: aLength, b: bLength, size: 0 }]) {
    if (a < block.a || b < block.b) result.push({ equal: false, a: [a, block.a], b: [b, block.b] });
    a = block.a + block.size;
    b = block.b + block.size;
    if (block.size === 0) continue;
    const last = result[result.length - 1];
    if (last?.equal) result[result.length - 1] = { equal: true, a: [last.a[0], a], b: [last.b[0], b] };
    else result.push({ equal: true, a: [block.a, a], b: [block.b, b] });
  }
  return result;
}

/** Groups changes that are near each other, with the equal lines around them. */
function groups(all: readonly Change[]): Change[][] {
  const result: Change[][] = [];
  let group: Change[] = [];
  all.forEach((change, i) => {
    if (!change.equal) {
      group.push(change);
      return;
    }
    const [aFrom, aTo] = change.a;
    const [bFrom, bTo] = change.b;
    const before = Math.min(contextLines, aTo - aFrom);
    const tail: Change = { equal: true, a: [aFrom, aFrom + before], b: [bFrom, bFrom + before] };
    const head: Change = { equal: true, a: [aTo - before, aTo], b: [bTo - before, bTo] };
    if (i === 0) group.push(head);
    else if (i === all.length - 1) group.push(tail);
    else if (aTo - aFrom > 2 * contextLines) {
      result.push([...group, tail]);
      group = [head];
    } else group.push(change);
  });
  if (group.some(({ equal }) => !equal)) result.push(group);
  return result;
}
