import { appendFileSync } from 'node:fs';
import fc from 'fast-check';
import { it } from 'vitest';
import { problemsOf } from './problems.ts';
import { steps } from './steps.ts';
import { World } from './world.ts';

it('explore', async () => {
  const seed = Number(process.env.SEED ?? 1);
  const out = `/tmp/7A-fail-${seed}.jsonl`;
  let i = 0;
  for (const todo of fc.sample(steps, { numRuns: Number(process.env.RUNS ?? 100), seed })) {
    const t0 = Date.now();
    const world = await World.start();
    let problems: unknown[] = [];
    try {
      for (const step of todo) await world.take(step);
      await world.comeToRest();
      problems = [
        ...(await problemsOf(world.cluster)),
        ...world.limits.violations,
        ...(await world.writesIn(3_600_000)),
      ];
    } catch (e) {
      problems = [`${(e as Error).stack}`];
    }
    await world.stop();
    appendFileSync('/tmp/7A-progress', `${seed} ${i++} ${Date.now() - t0} ${problems.length}\n`);
    if (problems.length) appendFileSync(out, `${JSON.stringify({ problems, steps: todo })}\n`);
  }
}, 10_000_000);
