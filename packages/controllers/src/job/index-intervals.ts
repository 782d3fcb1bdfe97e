/** An interval of indexes. Both bounds are inclusive. */
export interface IndexInterval {
  readonly first: number;
  readonly last: number;
}

/**
 * An immutable set of completion indexes with the text format of the Job status: `1,3-5,7`. The intervals ascend and never
 * overlap or touch, so a Job of a hundred thousand indexes that succeed in order is one interval.
 */
export class IndexIntervals {
  static readonly none = new IndexIntervals([]);
  readonly intervals: readonly IndexInterval[];

  private constructor(intervals: readonly IndexInterval[]) {
    this.intervals = intervals;
  }

  /** Parses the text. Invalid parts and indexes not below `completions` are skipped. */
  static parse(text: string | undefined, completions: number): IndexIntervals {
    if (!text) return IndexIntervals.none;
    const intervals: IndexInterval[] = [];
    for (const part of text.split(',')) {
      const [firstText = '', lastText = firstText] = part.split('-');
      const [first, last] = [toIndex(firstText), toIndex(lastText)];
      if (first === undefined || last === undefined) continue;
      if (first >= completions) break;
      intervals.push({ first, last: Math.min(last, completions - 1) });
    }
    return new IndexIntervals(joined(intervals));
  }

  static of(indexes: Iterable<number>): IndexIntervals {
    const sorted = [...indexes].sort((a, b) => a - b);
    return new IndexIntervals(joined(sorted.map((index) => ({ first: index, last: index }))));
  }

  /** Returns the union. */
  with(other: IndexIntervals): IndexIntervals {
    if (other.intervals.length === 0) return this;
    const all = [...this.intervals, ...other.intervals].sort((a, b) => a.first - b.first);
    return new IndexIntervals(joined(all));
  }

  has(index: number): boolean {
    let low = 0;
    let high = this.intervals.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.intervals[middle]!.last >= index) high = middle;
      else low = middle + 1;
    }
    const found = this.intervals[low];
    return found !== undefined && found.first <= index;
  }

  get size(): number {
    let size = 0;
    for (const { first, last } of this.intervals) size += last - first + 1;
    return size;
  }

  /** Returns the size of the intersection. */
  commonWith(other: IndexIntervals): number {
    let common = 0;
    for (let i = 0, j = 0; i < this.intervals.length && j < other.intervals.length; ) {
      const [a, b] = [this.intervals[i]!, other.intervals[j]!];
      common += Math.max(0, Math.min(a.last, b.last) - Math.max(a.first, b.first) + 1);
      if (a.last <= b.last) i++;
      if (b.last <= a.last) j++;
    }
    return common;
  }

  /** Returns the first indexes below `completions` that are not in the set, at most `count`. */
  firstMissing(count: number, completions: number): number[] {
    const missing: number[] = [];
    let candidate = 0;
    const addUpTo = (end: number): void => {
      while (candidate < end && missing.length < count) missing.push(candidate++);
    };
    for (const { first, last } of this.intervals) {
      addUpTo(Math.min(first, completions));
      candidate = Math.max(candidate, last + 1);
    }
    addUpTo(completions);
    return missing;
  }

  toString(): string {
    const texts = this.intervals.map(({ first, last }) => {
      if (first === last) return `${first}`;
      return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
    });
    return texts.join(',');
  }
}

const toIndex = (text: string): number | undefined => (/^[+-]?\d+$/.test(text) ? Number(text) : undefined);

/** Merges overlapping and touching intervals. */
function joined(ascending: readonly IndexInterval[]): IndexInterval[] {
  const result: IndexInterval[] = [];
  for (const { first, last } of ascending) {
    const before = result.at(-1);
    if (!before || first > before.last + 1) result.push({ first, last });
    else if (last > before.last) result[result.length - 1] = { first: before.first, last };
  }
  return result;
}
