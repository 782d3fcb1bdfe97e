import fc from 'fast-check';
import { expect, it } from 'vitest';
import { problemsOf } from './problems.ts';
import { steps } from './steps.ts';
import { World } from './world.ts';

/*
 * All controllers at once, and whatever people, nodes and the network between may do to them. When faults have ended and
 * time has passed, everything is as its spec says; on the way nobody went beyond their limits; and then nobody writes.
 */

const isLong = process.env.COXSWAIN_LONG !== undefined;
const hour = 3_600_000;

it('everything comes to what is asked for, within its limits, and then rests', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (todo) => {
      const world = await World.start();
      try {
        for (const step of todo) await world.take(step);
        await world.comeToRest();
        expect(await problemsOf(world.cluster)).toEqual([]);
        expect(world.limits.violations).toEqual([]);
        expect(await world.writesIn(hour)).toEqual([]);
      } finally {
        await world.stop();
      }
    }),
    { numRuns: isLong ? 300 : 6, endOnFailure: true },
  );
}, 3_600_000);
