import { cpus, totalmem } from 'node:os';
import { aligned, type ComparedRow, type Comparison, cellsOf, isReached, ratioOf } from '../comparison.ts';

export interface BenchResult extends Comparison {
  readonly bench: string;
}

/** The stored record of a run. */
export interface CompareRecord {
  readonly date: string;
  /** The machine. Absolute values are only valid for it. */
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly memoryGiB: number;
    readonly platform: string;
    readonly node: string;
  };
  readonly rows: readonly RecordedRow[];
}

interface RecordedRow extends ComparedRow {
  readonly bench: string;
  readonly peerName: string;
  readonly ratio?: number;
  readonly reached?: boolean;
}

export function recordOf(results: readonly BenchResult[], now: Date): CompareRecord {
  return {
    date: now.toISOString().slice(0, 10),
    machine: {
      cpu: cpus()[0]?.model.trim() ?? 'unknown',
      cores: cpus().length,
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      platform: `${process.platform} ${process.arch}`,
      node: process.version,
    },
    rows: results.flatMap(({ bench, peerName, rows }) => rows.map((row) => recorded(bench, peerName, row))),
  };
}

function recorded(bench: string, peerName: string, row: ComparedRow): RecordedRow {
  const ratio = ratioOf(row);
  const reached = isReached(row);
  return {
    bench,
    ...row,
    ours: rounded(row.ours),
    ...(row.peer !== undefined && { peer: rounded(row.peer) }),
    peerName,
    ...(ratio !== undefined && { ratio: rounded(ratio) }),
    ...(reached !== undefined && { reached }),
  };
}

/** Rounds to four significant digits; more are not meaningful. */
const rounded = (value: number): number => Number(value.toPrecision(4));

/** Returns one table of all rows, and the number of reached goals. */
export function printResults(results: readonly BenchResult[]): string {
  const rows = results.flatMap(({ bench, peerName, rows }) =>
    rows.map((row) => {
      const [name = '', ours = '', peer = '', ...others] = cellsOf(row);
      return [bench, name, ours, peer, peerName, ...others];
    }),
  );
  const verdicts = results.flatMap(({ rows }) => rows.map(isReached)).filter((reached) => reached !== undefined);
  const table = aligned([['bench', 'what', 'ours', 'peer', 'beside us', 'ratio', 'goal', 'reached'], ...rows], 2);
  return `${table}\n${verdicts.filter(Boolean).length} of ${verdicts.length} goals are reached\n`;
}
