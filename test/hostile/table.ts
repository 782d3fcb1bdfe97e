import type { Finding } from './scenario.ts';

/** The result of one contender in one scenario; `why` is set when the scenario could not be carried out. */
export interface Outcome {
  readonly scenario: string;
  readonly contender: string;
  readonly findings: readonly Finding[];
  readonly why?: string;
}

/** Returns a table with a row for each measure and a column for each contender. */
export function formatTable(outcomes: readonly Outcome[]): string {
  const contenders = [...new Set(outcomes.map(({ contender }) => contender))];
  const rows = [['scenario', 'measure', ...contenders]];
  for (const scenario of new Set(outcomes.map((outcome) => outcome.scenario))) {
    const of = outcomes.filter((outcome) => outcome.scenario === scenario);
    const measures = new Set(of.flatMap(({ findings }) => findings.map(({ measure }) => measure)));
    for (const measure of measures)
      rows.push([scenario, measure, ...contenders.map((name) => cell(of, name, measure))]);
    for (const { contender, why } of of)
      if (why !== undefined)
        rows.push([scenario, 'not carried out', ...contenders.map((name) => (name === contender ? why : ''))]);
  }
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((text, column) => text.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function cell(outcomes: readonly Outcome[], contender: string, measure: string): string {
  const findings = outcomes.find((outcome) => outcome.contender === contender)?.findings ?? [];
  const finding = findings.find((each) => each.measure === measure);
  if (!finding) return '-';
  return finding.ok === false ? `${finding.value} BAD` : finding.value;
}

/** Returns whether no finding is bad and every scenario was carried out. */
export function isGood(outcomes: readonly Outcome[]): boolean {
  return outcomes.every(({ why, findings }) => why === undefined && findings.every(({ ok }) => ok !== false));
}
