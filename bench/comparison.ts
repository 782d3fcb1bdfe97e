/** The measurements of our code and of a peer. */
export interface Comparison {
  /** The name of the peer. The rows have no values of it when it was not available. */
  readonly peerName: string;
  readonly rows: readonly ComparedRow[];
}

export interface ComparedRow {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  readonly peer?: number;
  readonly goal?: Goal;
}

/** A goal for our value or for its ratio to the peer's. */
export interface Goal {
  readonly of: 'ours' | 'ratio';
  readonly atMost?: number;
  readonly atLeast?: number;
}

/**
 * Returns a function that makes rows from the measurements of our code and, if available, of the peer. Each row reads one value from both.
 */
export const comparing =
  <Measured>(ours: Measured, peer: Measured | undefined) =>
  (name: string, unit: string, read: (measured: Measured) => number, goal?: Goal): ComparedRow => ({
    name,
    unit,
    ours: read(ours),
    ...(peer !== undefined && { peer: read(peer) }),
    ...(goal && { goal }),
  });

/** Returns our value divided by the peer's; undefined without a peer, or when its value is 0. */
export const ratioOf = ({ ours, peer }: ComparedRow): number | undefined => (peer ? ours / peer : undefined);

/** Returns whether the goal is reached; undefined without a goal, or without a peer to compare with. */
export function isReached(row: ComparedRow): boolean | undefined {
  const value = row.goal?.of === 'ours' ? row.ours : ratioOf(row);
  if (!row.goal || value === undefined) return undefined;
  const { atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY } = row.goal;
  return value <= atMost && value >= atLeast;
}

/** Returns the cells of a row: name, ours, peer, ratio, goal, and whether the goal is reached. */
export function cellsOf(row: ComparedRow): string[] {
  const { name, unit, ours, peer, goal } = row;
  const ratio = ratioOf(row);
  const reached = isReached(row);
  return [
    name,
    withUnit(ours, unit),
    peer === undefined ? '' : withUnit(peer, unit),
    ratio === undefined ? '' : times(ratio),
    goal ? goalText(goal, unit) : '',
    reached === undefined ? '' : reached ? 'yes' : 'no',
  ];
}

/** Returns the table of one bench. */
export function printComparison({ peerName, rows }: Comparison): string {
  const table = aligned([['', 'ours', peerName, 'ratio', 'goal', 'reached'], ...rows.map(cellsOf)]);
  const isAlone = rows.every(({ peer }) => peer === undefined);
  return isAlone ? `${table}\nbench/README.md describes how to compare with ${peerName}\n` : table;
}

/** Formats a table: the first `leftColumns` columns are aligned left, the others right. Empty columns are omitted. */
export function aligned(lines: readonly (readonly string[])[], leftColumns = 1): string {
  const [headings = [], ...rows] = lines;
  const columns = headings.map((_, column) => column).filter((column) => rows.some((row) => row[column]));
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const text = lines.map((line) =>
    columns
      .map((column) =>
        column < leftColumns ? line[column]!.padEnd(widths[column]!) : line[column]!.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  );
  return `${text.join('\n')}\n`;
}

const times = (ratio: number): string => `${ratio.toFixed(3)}×`;

const withUnit = (value: number, unit: string): string => `${format(value)} ${unit}`.trimEnd();

const format = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value >= 1 ? value.toFixed(2) : value.toFixed(4);

function goalText({ of, atMost, atLeast }: Goal, unit: string): string {
  const text = (bound: number): string =>
    of === 'ratio' ? `${Number(bound.toFixed(3))}×` : `${bound.toLocaleString('en')} ${unit}`;
  return [
    ...(atMost === undefined ? [] : [`≤ ${text(atMost)}`]),
    ...(atLeast === undefined ? [] : [`≥ ${text(atLeast)}`]),
  ].join(', ');
}
