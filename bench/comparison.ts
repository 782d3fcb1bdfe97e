/** What a bench measured of us and of a peer. */
export interface Comparison {
  /** Who stands beside us; it has no figures when it was not there. */
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

/** What was set out to be reached, of our figure or of its ratio to the peer's. */
export interface Goal {
  readonly of: 'ours' | 'ratio';
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** Makes rows of what was measured of us and, where it was there, of the peer: each by one way to read a figure from it. */
export const comparing =
  <Measured>(ours: Measured, peer: Measured | undefined) =>
  (name: string, unit: string, read: (measured: Measured) => number, goal?: Goal): ComparedRow => ({
    name,
    unit,
    ours: read(ours),
    ...(peer !== undefined && { peer: read(peer) }),
    ...(goal && { goal }),
  });

/** Ours for each unit of the peer's; undefined without a peer, or beside one that has nothing. */
export const ratioOf = ({ ours, peer }: ComparedRow): number | undefined => (peer ? ours / peer : undefined);

/** Whether the goal is reached; undefined where there is none, or no peer to tell by. */
export function isReached(row: ComparedRow): boolean | undefined {
  const value = row.goal?.of === 'ours' ? row.ours : ratioOf(row);
  if (!row.goal || value === undefined) return undefined;
  const { atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY } = row.goal;
  return value <= atMost && value >= atLeast;
}

/** The cells of a row: name, ours, peer, ratio, goal, and whether that is reached. */
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

/** The table of one bench. */
export function printComparison({ peerName, rows }: Comparison): string {
  const table = aligned([['', 'ours', peerName, 'ratio', 'goal', 'reached'], ...rows.map(cellsOf)]);
  const isAlone = rows.every(({ peer }) => peer === undefined);
  return isAlone ? `${table}\nbench/README.md tells how to see ${peerName} beside it\n` : table;
}

/** The first column by its left edge, the others by their right one; columns with nothing in them are left out. */
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
