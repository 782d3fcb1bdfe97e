import type { Outcomes } from './results.ts';
import { type ConformanceTest, sigOf } from './tiers.ts';

const headings = ['SIG', 'passed', 'failed', 'not run'] as const;

/** Formats a run: a row for each SIG, each failure with its step, and what the tests need that were not run. */
export function formatRun(outcomes: Outcomes, notRun: readonly ConformanceTest[]): string {
  const parts = [formatTable(outcomes, notRun), ...formatFailures(outcomes), ...formatReasons(notRun)];
  return `${parts.join('\n\n')}\n`;
}

function formatTable(outcomes: Outcomes, notRun: readonly ConformanceTest[]): string {
  const bySig = new Map<string, [number, number, number]>();
  const count = (name: string, column: 0 | 1 | 2) => {
    const row = bySig.get(sigOf(name)) ?? [0, 0, 0];
    row[column]++;
    bySig.set(sigOf(name), row);
  };
  for (const [name, outcome] of outcomes) count(name, outcome === 'passed' ? 0 : 1);
  for (const { name } of notRun) count(name, 2);
  const rows = [...bySig].sort(([a], [b]) => (a < b ? -1 : 1));
  const sum = ([0, 1, 2] as const).map((column) => rows.reduce((total, [, row]) => total + row[column], 0));
  const cells = [headings, ...rows.map(([sig, row]) => [sig, ...row]), ['all', ...sum]].map((row) => row.map(String));
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  return cells
    .map((row) =>
      row.map((cell, column) => (column ? cell.padStart(widths[column]!) : cell.padEnd(widths[0]!))).join('  '),
    )
    .join('\n');
}

function formatFailures(outcomes: Outcomes): string[] {
  return [...outcomes].flatMap(([name, outcome]) => {
    if (outcome === 'passed') return [];
    const { step, message, at } = outcome;
    return [[`FAILED ${name}`, ...(step ? [`step: ${step}`] : []), message, ...(at ? [`at ${at}`] : [])].join('\n  ')];
  });
}

function formatReasons(notRun: readonly ConformanceTest[]): string[] {
  if (notRun.length === 0) return [];
  const byReason = new Map<string, number>();
  for (const { reason = '' } of notRun) byReason.set(reason, (byReason.get(reason) ?? 0) + 1);
  const lines = [...byReason]
    .sort(([, a], [, b]) => b - a)
    .map(([reason, tests]) => `${String(tests).padStart(5)}  ${reason}`);
  return [['Not run; --tier containers runs them on real nodes (tiers.json has the names):', ...lines].join('\n')];
}
