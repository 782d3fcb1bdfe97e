import type { Verdict } from './verdict.ts';

/** The verdicts of one direction. */
export interface DirectionResult {
  readonly direction: string;
  readonly verdicts: readonly Verdict[];
}

/** Returns a table with a row for each step and the reason of each failure. */
export function formatTable(results: readonly DirectionResult[]): string {
  const rows = results.flatMap(({ direction, verdicts }) => verdicts.map((verdict) => ({ direction, ...verdict })));
  const headings = { direction: 'direction', step: 'step' };
  const width = (column: 'direction' | 'step'): number =>
    Math.max(headings[column].length, ...rows.map((row) => row[column].length));
  const line = (direction: string, step: string, outcome: string): string =>
    [direction.padEnd(width('direction')), step.padEnd(width('step')), outcome].join('  ');
  const lines = rows.map(({ direction, step, ok, why = 'unknown reason' }) =>
    line(direction, step, ok ? 'ok' : `failed: ${why.replaceAll('\n', '\n    ')}`),
  );
  const failed = rows.filter(({ ok }) => !ok).length;
  const sum = `${rows.length - failed} of ${rows.length} steps are ok`;
  return `${[line(headings.direction, headings.step, 'outcome'), ...lines, '', sum].join('\n')}\n`;
}

/** Returns whether all steps passed. A direction without steps has failed. */
export function isGood(results: readonly DirectionResult[]): boolean {
  return results.every(({ verdicts }) => verdicts.length > 0 && verdicts.every(({ ok }) => ok));
}
