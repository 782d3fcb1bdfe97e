import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { kubernetesVersion } from './build.ts';
import type { Outcome } from './report.ts';
import type { TierName } from './tiers.ts';

export type Outcomes = ReadonlyMap<string, Outcome>;

interface ResultsFile {
  readonly kubernetes: string;
  readonly passed: number;
  readonly failed: number;
  readonly tests: Readonly<Record<string, Outcome>>;
}

/** Returns the outcomes of the last complete run of a tier; empty if there was none. */
export function readResults(tier: TierName): Outcomes {
  const path = pathOf(tier);
  if (!existsSync(path)) return new Map();
  const { tests }: ResultsFile = JSON.parse(readFileSync(path, 'utf8'));
  return new Map(Object.entries(tests));
}

/** Writes the outcomes. Two runs with the same outcomes give the same bytes. */
export function writeResults(tier: TierName, outcomes: Outcomes): void {
  mkdirSync(new URL('results/', import.meta.url), { recursive: true });
  writeFileSync(pathOf(tier), formatResults(outcomes));
}

export function formatResults(outcomes: Outcomes): string {
  const sorted = [...outcomes].sort(([a], [b]) => (a < b ? -1 : 1));
  const passed = sorted.filter(([, outcome]) => outcome === 'passed').length;
  const file: ResultsFile = {
    kubernetes: kubernetesVersion,
    passed,
    failed: sorted.length - passed,
    tests: Object.fromEntries(sorted),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** Returns a message for each test whose outcome differs, among those that ran both times. */
export function whatChanged(before: Outcomes, now: Outcomes): string[] {
  return [...now].flatMap(([name, outcome]) => {
    const last = before.get(name);
    if (last === undefined) return [];
    if (outcome === 'passed') return last === 'passed' ? [] : [`passes now: ${name}`];
    if (last === 'passed') return [`FAILS NOW: ${name}`];
    return last.at === outcome.at ? [] : [`fails elsewhere (${last.at} before, ${outcome.at} now): ${name}`];
  });
}

function pathOf(tier: TierName): string {
  return fileURLToPath(new URL(`results/${tier}.json`, import.meta.url));
}
