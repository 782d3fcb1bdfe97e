import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { it } from 'vitest';
import { steps } from './steps.ts';

it('sample', () => {
  writeFileSync(
    '/tmp/7A-steps.json',
    JSON.stringify(fc.sample(steps, { numRuns: 300, seed: Number(process.env.SEED) })[Number(process.env.I)]),
  );
});
