import type { Verdict } from './verdict.ts';

/** The verdicts of one direction. */
export interface DirectionResult {
  readonly direction: string;
  readonly verdicts: readonly Verdict[];
  /** Why it was not possible on this machine. */
  readonly skipped?: string;
}

interface Row {
  readonly direction: string;
  readonly step: string;
  readonly outcome: string;
}

/** Returns a table with a row for each step and the reason of each failure. */
export function formatTable(results: readonly DirectionResult[]): string {
  const rows: readonly Row[] = [
    { direction: 'direction', step: 'step', outcome: 'outcome' },
    ...results.flatMap(rowsOf),
  ];
  const width = (column: keyof Row): number => Math.max(...rows.map((row) => row[column].length));
  const [directions, steps] = [width('direction'), width('step')];
  const lines = rows.map(({ direction, step, outcome }) =>
    [direction.padEnd(directions), step.padEnd(steps), outcome].join('  '),
  );
  const verdicts = results.flatMap((result) => result.verdicts);
  const sum = `${verdicts.filter(({ ok }) => ok).length} of ${verdicts.length} steps are ok`;
  return `${[...lines, '', sum].join('\n')}\n`;
}

const rowsOf = ({ direction, verdicts, skipped }: DirectionResult): Row[] =>
  skipped === undefined
    ? verdicts.map(({ step, ok, why = 'unknown reason' }) => ({
        direction,
        step,
        outcome: ok ? 'ok' : `failed: ${why.replaceAll('\n', '\n    ')}`,
      }))
    : [{ direction, step: '', outcome: `skipped: ${skipped}` }];

/** Returns whether all steps passed. A direction without steps has failed, unless it was skipped. */
export function isGood(results: readonly DirectionResult[]): boolean {
  return results.every(
    ({ verdicts, skipped }) => skipped !== undefined || (verdicts.length > 0 && verdicts.every(({ ok }) => ok)),
  );
}
