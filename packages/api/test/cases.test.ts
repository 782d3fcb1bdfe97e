import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { FeatureGates } from '../src/features/feature-gates.ts';
import { create, toHub, update } from './answer.ts';
import type { Answer, CaseSuite, Recording } from './case.ts';

const here = dirname(fileURLToPath(import.meta.url));
const names = readdirSync(join(here, 'cases'))
  .filter((file) => file.endsWith('.cases.ts'))
  .map((file) => file.slice(0, -'.cases.ts'.length));

/** Columns with cells that depend on the current time. */
const timeColumns = new Set([
  'Age',
  'Created At',
  'TimeAdded',
  'Completed',
  'Last Seen',
  'First Seen',
  'Last Schedule',
  'Duration',
  'Requestor',
]);

for (const name of names) {
  const { suite } = (await import(`./cases/${name}.cases.ts`)) as { suite: CaseSuite };
  const file = join(here, 'recorded', `${name}.json`);
  // A missing recording fails only its own cases.
  const recording: Recording = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Recording)
    : { stored: {}, answers: {} };

  const features = new FeatureGates(suite.features);
  describe(`${name}, with the responses of a real server`, () => {
    for (const [sentence, one] of Object.entries(suite.cases)) {
      it(sentence, () => {
        const answer: Answer | undefined = recording.answers[sentence];
        if (!answer) throw new Error('not recorded');
        if ('create' in one) {
          const object = structuredClone(suite.bases[one.create]!.object);
          one.change?.(object);
          expect(create(object, `cases-${name}`, features)).toEqual(answer);
        } else if ('update' in one) {
          const stored = recording.stored[one.update]!;
          const object = structuredClone(stored);
          one.change(object);
          expect(update(object, stored, one.subresource, features)).toEqual(answer);
        } else if ('columns' in answer) {
          const { strategy, object } = toHub(recording.stored[one.table]!);
          const columns = strategy.table!.columns.map((column) => ({ ...column, format: column.format ?? '' }));
          expect(columns).toEqual(answer.columns);
          const comparable = (cells: readonly unknown[]) =>
            cells.map((cell, i) => (timeColumns.has(columns[i]?.name ?? '') ? 'time' : cell));
          const row = strategy.table!.row(object as never, { now: new Date('2026-01-01T00:00:00Z') });
          expect(comparable(row)).toEqual(comparable(answer.cells));
        }
      });
    }
  });
}
