import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

/** Applies the diff to the text, like `patch`. */
function apply(text: string, diff: string): string {
  const from = text.split('\n');
  const to: string[] = [];
  let at = 0;
  for (const line of diff.split('\n').slice(0, -1)) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? /.exec(line);
    if (hunk) {
      const start = Number(hunk[1]) - (hunk[2] === '0' ? 0 : 1);
      while (at < start) to.push(from[at++]!);
    } else if (line.startsWith('+')) to.push(line.slice(1));
    else {
      expect(from[at]).toBe(line.slice(1));
      if (line.startsWith(' ')) to.push(from[at]!);
      at++;
    }
  }
  return [...to, ...from.slice(at)].join('\n');
}

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd', '{', '}'), { maxLength: 40 })
  .map((lines) => lines.join('\n'));

describe('unifiedDiff', () => {
  it('shows a change with three lines around it', () => {
    const lines = 'abcdefghij'.split('');
    const changed = lines.with(4, 'X');
    expect(unifiedDiff(lines.join('\n'), changed.join('\n'))).toBe('@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+X\n f\n g\n h\n');
  });

  it('joins changes that are near each other into one hunk', () => {
    const lines = Array.from({ length: 20 }, (_, i) => `line ${i}`);
    expect(unifiedDiff(lines.join('\n'), lines.with(3, 'x').with(10, 'y').join('\n')).match(/@@ .* @@/g)).toEqual([
      '@@ -1,14 +1,14 @@',
    ]);
    expect(unifiedDiff(lines.join('\n'), lines.with(3, 'x').with(11, 'y').join('\n')).match(/@@ .* @@/g)).toEqual([
      '@@ -1,7 +1,7 @@',
      '@@ -9,7 +9,7 @@',
    ]);
  });

  it('omits the length of a range of one line', () => {
    expect(unifiedDiff('a', 'a\nb')).toBe('@@ -1 +1,2 @@\n a\n+b\n');
  });

  it('is empty for equal texts', () => {
    fc.assert(fc.property(text, (same) => unifiedDiff(same, same) === ''));
  });

  it('turns the old text into the new one when applied', () => {
    fc.assert(fc.property(text, text, (from, to) => apply(from, unifiedDiff(from, to)) === to));
  });

  it('starts no match on lines that are too frequent in a long text', () => {
    const many = (length: number) => Array.from({ length }, () => 'x');
    const shown = (length: number) =>
      unifiedDiff(['a', ...many(length), 'b'].join('\n'), ['b', ...many(length), 'a'].join('\n'));
    expect(shown(197).match(/@@ .* @@/g)).toEqual(['@@ -1,4 +1,4 @@', '@@ -196,4 +196,4 @@']);
    expect(shown(198)).toBe(`@@ -1,200 +1,200 @@\n+b\n${'+x\n'.repeat(198)} a\n${'-x\n'.repeat(198)}-b\n`);
  });
});
